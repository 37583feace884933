import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { startSvc } from './run-svc.ts';

const cwd = process.cwd();

test('--watch shows what changes, also after the runtime was away', async (t) => {
  const url = await serve(t, [
    (response) => answer(response, 'running'),
    (response) => response.destroy(),
    (response) =>
      response
        .writeHead(503, { 'content-type': 'application/json' })
        .end('{"error":"unavailable"}'),
    (response) => answer(response, 'completed'),
  ]);
  const watch = startSvc(['execution', 'list', '--watch', '0.1', '--url', url], { cwd });
  await watch.waitFor(/exec_1.*running/);
  await watch.waitFor(/no answer from http[^\n]*; reading again/);
  await watch.waitFor(/unavailable; reading again/);
  await watch.waitFor(/exec_1.*completed/);
  const { code, signal } = await watch.stop('SIGINT');
  t.true(code === 130 || signal === 'SIGINT', `code ${code}, signal ${signal}`);
});

test('--watch of a runtime that never answered ends with its error', async (t) => {
  const url = await serve(t, [(response) => response.destroy()]);
  const watch = startSvc(['execution', 'list', '--watch', '--url', url], { cwd });
  t.is((await watch.ended).code, 1);
  t.regex(watch.output(), /^error: no answer from/);
});

/** Gives each answer once, in order, and then the last again. */
async function serve(
  t: ExecutionContext,
  answers: readonly ((response: ServerResponse) => unknown)[],
): Promise<string> {
  let asked = 0;
  const server = createServer((_, response) => {
    answers[Math.min(asked, answers.length - 1)]?.(response);
    asked += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(response: ServerResponse, status: string): void {
  const execution = {
    execution_id: 'exec_1',
    workflow_id: 'orders',
    workflow_version: '1',
    status,
    created_at: '2026-11-21T10:14:00.123Z',
    started_at: '2026-11-21T10:14:00.123Z',
    updated_at: '2026-11-21T10:14:00.123Z',
    completed_at: null,
    error: null,
    labels: {},
    parent_execution_id: null,
    waiting_for: null,
    imported: null,
  };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ executions: [execution], total: 1, next_cursor: null }));
}
