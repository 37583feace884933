import { appendFileSync } from 'node:fs';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { createToolServer } from './mcp-tools.ts';

/*
 * A server over standard input and output. It writes each call to the file that its argument names.
 */

const [, , log] = process.argv;
serveStdio(() =>
  createToolServer((call) => {
    if (log !== undefined)
      appendFileSync(log, `${JSON.stringify({ ...call, pid: process.pid })}\n`);
  }),
);
