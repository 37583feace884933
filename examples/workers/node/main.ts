import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { runWorker, type Handler } from './run-worker.ts';

/*
 * The worker as a process: `node main.ts [file with handlers]`, settings from the environment, and a
 * clean stop. The first SIGTERM or SIGINT lets it finish its current items; the second ends it at
 * once.
 */

const [, , file] = process.argv;
const { handlers } = (await import(
  file === undefined ? './handlers.ts' : pathToFileURL(resolve(file)).href
)) as { readonly handlers: Readonly<Record<string, Handler>> };

const workerId = process.env['WORKER_ID'] || `${hostname()}-${process.pid}`;
const stopping = new AbortController();
for (const [signal, exitCode] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(exitCode);
    log(`${signal}: finishing the current items`);
    stopping.abort();
  });
}

try {
  await runWorker({
    api: {
      url: process.env['SVC_URL'] || 'http://127.0.0.1:7700',
      token: process.env['SVC_TOKEN'] || null,
    },
    workerId,
    queueTypes: ['python_tool'],
    concurrency: Number(process.env['WORKER_CONCURRENCY'] || 4),
    handlers,
    stopping: stopping.signal,
    log,
  });
} catch (error) {
  console.error(`${workerId}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function log(line: string): void {
  console.log(`${new Date().toISOString()} ${line}`);
}
