import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../../support/database.ts';
import { startMcpServer } from '../../support/servers/mcp-server.ts';
import { startRuntime } from '../../support/runtime.ts';
import { sendJson, startShop } from '../../support/shop.ts';
import { readTables } from '../../support/stores.ts';

/* Tools as an operator configures them, in a real process. */

const SECRETS = {
  SVC_SECRET_SHOP: 'canary-shop-key-1',
  SVC_SECRET_SEARCH: 'canary-search-key-2',
  FILES_TOKEN: 'canary-files-key-3',
};
const STDIO = fileURLToPath(new URL('../../support/servers/mcp-stdio-server.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'svc-tools-'));
test.after.always(() => rmSync(folder, { recursive: true }));

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  test(`${dialect}: tools are called with the operator's secrets, which stay out of everything`, async (t) => {
    t.timeout(120_000);
    const shop = await startShop();
    const search = await startMcpServer();
    const database = await createTestDatabase(dialect);
    const allowed = [process.execPath, STDIO, join(folder, dialect)];
    const runtime = await startRuntime({
      databaseUrl: database.url,
      env: {
        ...SECRETS,
        SVC_LOG_LEVEL: 'trace',
        SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true',
        SVC_MCP_STDIO_COMMANDS: allowed.join(' '),
        SVC_MCP_SERVERS: JSON.stringify({
          files: { command: [process.execPath, STDIO], env: ['FILES_TOKEN'] },
        }),
      },
    });
    const svc = await runtime.newTenant();

    shop.answer(({ headers, path }, response) => {
      if (path.startsWith('/products/')) sendJson(response, { amount: 2, headers });
      else sendJson(response, { id: 'ch_1', seen: headers });
    });
    const order = { product: 'p', currency: 'eur', customer: 'Ann' };
    const ordered = await svc.run(example('tool', { 'https://shop.example': shop.url }), order);
    const { state } = await svc.until(ordered, 'completed');
    t.deepEqual(state['charge'], { charge_id: 'ch_1', status: 200 });
    const [price, charge] = shop.requests.map(({ headers }) => headers);
    t.is(price?.authorization, `Bearer ${SECRETS.SVC_SECRET_SHOP}`);
    t.is(charge?.['x-api-key'], SECRETS.SVC_SECRET_SHOP);

    const found = await svc.run(example('tool-mcp', { 'https://search.example': search.url }), {
      question: 'who?',
    });
    t.deepEqual((await svc.until(found, 'completed')).state['found'], { args: { query: 'who?' } });
    t.is(search.requests[0]?.headers.authorization, `Bearer ${SECRETS.SVC_SECRET_SEARCH}`);

    const squared = await svc.run(example('tool-python', {}), { number: 3 });
    const item = await svc.claim({ worker_id: 'w', queue_types: ['python_tool'] });
    t.like(item.payload, { module: 'numbers', function: 'square', input: { value: 3 } });
    t.is((await svc.complete(item, { other: 9 })).status, 400);
    t.is((await svc.complete(item, { value: 9 })).status, 200);
    t.deepEqual((await svc.until(squared, 'completed')).state['squared'], { value: 9 });

    const [command, ...args] = allowed;
    const over = (node: JsonObject, parts: JsonObject = {}) => ({
      ...parts,
      nodes: { a: { kind: { type: 'mcp_tool', ...node }, output_key: 'a' } },
    });
    const own = { mcp_servers: { own: { transport: 'stdio', command: command ?? '', args } } };
    const listed = await svc.run(over({ server: 'own', tool: 'json' }, own), {});
    t.deepEqual((await svc.until(listed, 'completed')).state['a'], { n: 1 });
    const given = await svc.run(over({ server: 'files', tool: 'env' }), {});
    const env = (await svc.until(given, 'completed')).state['a'] as JsonObject;
    t.is(env['FILES_TOKEN'], '[secret FILES_TOKEN]');
    t.is(env['SVC_SECRET_SHOP'], undefined);

    const other = { own: { transport: 'stdio', command: 'sh', args: ['-c', 'true'] } };
    const registered = await svc.post<{ warnings: readonly JsonObject[] }>('/workflows', {
      ir: { workflow_id: 'stealing', ...readOf('${secret:FILES_TOKEN}', shop.url) },
    });
    t.is(registered.status, 201);
    t.deepEqual(
      registered.body.warnings.map(({ pointer }) => pointer),
      ['/tools/steal'],
    );
    for (const [ir, words] of [
      [over({ server: 'own', tool: 'x' }, { mcp_servers: other }), 'mcp.stdio_commands'],
      [readOf('${secret:FILES_TOKEN}', shop.url), 'may not be used by workflows of this tenant'],
      [readOf('${secret:SVC_AUTH_API_KEY}', shop.url), 'may not be used by workflows'],
    ] as const) {
      const id = await svc.run(ir, {});
      await svc.until(id, 'failed');
      t.true(JSON.stringify(await svc.events(id)).includes(words), words);
    }

    const code = await runtime.end('SIGTERM');
    const written = JSON.stringify(await readTables(database.url)) + runtime.stdout();
    await Promise.all([database.drop(), shop.close(), search.close()]);
    t.is(code, 0);
    t.deepEqual(runtime.errors(), []);
    for (const secret of Object.values(SECRETS)) {
      t.false(written.includes(secret) || runtime.stderr().includes(secret), secret);
    }
    const { pid } = JSON.parse(readFileSync(join(folder, dialect), 'utf8')) as { pid: number };
    t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });
}

function example(name: string, hosts: Readonly<Record<string, string>>): JsonObject {
  const file = new URL(`../../../examples/workflows/${name}.json`, import.meta.url);
  let text = readFileSync(file, 'utf8');
  for (const [host, url] of Object.entries(hosts)) text = text.replaceAll(host, url);
  return JSON.parse(text) as JsonObject;
}

function readOf(secret: string, url: string): JsonObject {
  return {
    tools: { steal: { kind: 'http', reference: url, headers: { 'x-key': secret } } },
    nodes: { a: { kind: { type: 'tool', tool_ref: 'steal' } } },
  };
}
