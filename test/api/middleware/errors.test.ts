import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import Koa from 'koa';

import type { ApiState } from '../../../src/api/context.ts';
import { answerError } from '../../../src/api/middleware/errors.ts';
import { beginRequest } from '../../../src/api/middleware/request-context.ts';
import { StoreUnavailableError } from '../../../src/shared/store/store.ts';
import { runOnServer } from '../../support/database.ts';
import { freePort } from '../../support/servers/ports.ts';
import { startTestApi } from '../support/test-api.ts';

test('500: a bug is answered without a word about the inside, and logged once', async (t) => {
  const api = await startTestApi();
  // A missing table is no expected outcome of the store, so it counts as a bug.
  await breakTable(api.database.url, 'alter table definitions rename to elsewhere');
  const headers = { 'x-request-id': 'r-1' };
  const answer = await api.call({ path: '/workflows', headers });
  t.is(answer.status, 500);
  t.deepEqual(answer.body, { error: 'internal error: request r-1' });
  t.is(api.troubles.length, 1);
  const { fields } = api.troubles[0] as { readonly fields: Readonly<Record<string, unknown>> };
  t.is(fields['request_id'], 'r-1');
  t.is(fields['route'], '/workflows');
  t.true(fields['err'] instanceof Error);
  await api.close();
});

test('503: a database that is away is a reason to come again', async (t) => {
  const api = await startTestApi();
  await api.database.store.close();
  const answer = await api.call({ path: '/executions' });
  t.is(answer.status, 503);
  t.is(answer.headers.get('retry-after'), '1');
  t.deepEqual(answer.body, { error: 'unavailable: the database does not answer, try again' });
  t.true(
    api.troubles.every(
      ({ fields }) => (fields as { err: unknown }).err instanceof StoreUnavailableError,
    ),
  );
  await api.close();
});

/** By SQLSTATE: what the answer says. */
const SHORTAGES = {
  53100: {
    error:
      'unavailable: the disk of the database is full, and nothing was changed; try again when there is room',
    code: 'database_full',
  },
  53200: {
    error: 'unavailable: the database has no memory left, and nothing was changed; try again later',
    code: 'database_out_of_memory',
  },
  53300: {
    error:
      'unavailable: the database accepts no more connections, and nothing was changed; try again later',
    code: 'database_out_of_connections',
  },
};

for (const [state, body] of Object.entries(SHORTAGES)) {
  test(`503: ${body.code} is named, logged once, and passes`, async (t) => {
    const api = await startTestApi({ dialect: 'postgres' });
    t.teardown(() => api.close());
    const { url } = api.database;
    const ir = { workflow_id: 'w', nodes: { wait: { kind: { type: 'wait', timeout_secs: 60 } } } };
    await api.call({ path: '/workflows', body: { ir } });
    // As the server answers when a table cannot grow, and when a statement gets no memory.
    await runOnServer(
      url,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise 'insufficient resources' using errcode = '${state}'; end $$;
       create trigger refuse before insert on executions execute function refuse()`,
    );
    const start = { path: '/executions', body: { workflow_id: 'w', input: {} } };
    const before = await api.database.contents();
    for (let n = 0; n < 3; n += 1) {
      const refused = await api.call(start);
      t.is(refused.status, 503);
      t.is(refused.headers.get('retry-after'), '5');
      t.deepEqual(refused.body, body);
    }
    t.deepEqual((await api.database.contents())['executions'], before['executions']);
    t.is((await api.call({ path: '/executions' })).status, 200);
    t.is(api.troubles.length, 1);
    await runOnServer(url, 'drop trigger refuse on executions');
    t.is((await api.call(start)).status, 201);
  });
}

test('503: when the outcome is unknown, no reply advises a simple retry', async (t) => {
  const app = new Koa<ApiState>();
  app.use(async (ctx) => {
    beginRequest(ctx, { newRequestId: () => 'r-1', leaving: new AbortController().signal });
    const error = new StoreUnavailableError('commit', { ambiguous: true });
    await answerError(ctx, error, { info() {}, warn() {}, error() {} });
  });
  const server = app.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  t.is(response.status, 503);
  t.deepEqual(await response.json(), {
    error: 'unavailable: the database went away, and whether the request took effect is not known',
  });
  server.closeAllConnections();
  server.close();
});

async function breakTable(url: string, sql: string): Promise<void> {
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(url.replace(/^sqlite:/, ''));
  database.exec(sql);
  database.close();
}
