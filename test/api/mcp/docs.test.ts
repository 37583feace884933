import { readFileSync } from 'node:fs';
import test from 'ava';

import { tools } from '../../../src/api/mcp/tools.ts';
import { describeAccess } from '../../../src/api/openapi/openapi.ts';

const page = readFileSync(new URL('../../../docs/guides/mcp.md', import.meta.url), 'utf8');

test('docs/guides/mcp.md lists every tool with its endpoint and who may use it', (t) => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| `(\w+ \S+)` +\| (.+?) +\|$/gm)];
  t.deepEqual(
    rows.map(([, ...cells]) => cells),
    tools.map(({ name, endpoint: { method, path, access } }) => {
      const [role = ''] = describeAccess(access).split(';');
      return [name, `${method} ${path}`, role === 'any token' ? 'any' : role];
    }),
  );
});
