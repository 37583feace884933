import test, { type ExecutionContext } from 'ava';

import { createTestDatabase, type Dialect } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startRuntime } from '../support/runtime.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { expectStatus } from '../support/tenant.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* Commands that take ids from stdin: each id has its own outcome, and many need few requests. */

const folder = createFolder();
test.after.always(() => folder.remove());

const approval = { kind: { type: 'human_approval', description: 'Go on?' } };
const SIGNING = { workflow_id: 'signing', nodes: { sign: approval } };
const TWICE = {
  workflow_id: 'twice',
  start_node: 'both',
  nodes: {
    both: { kind: { type: 'parallel' } },
    one: approval,
    two: approval,
    together: { kind: { type: 'join' } },
  },
  edges: [
    { from: 'both', to: 'one' },
    { from: 'both', to: 'two' },
    { from: 'one', to: 'together' },
    { from: 'two', to: 'together' },
  ],
};
const fn = (name: string) => ({ kind: { type: 'python_fn', module: 'trip', function: name } });
const TRIP = {
  workflow_id: 'trip',
  start_node: 'hotel',
  nodes: { hotel: { ...fn('book'), undo: fn('cancel') }, car: fn('car') },
  edges: [{ from: 'hotel', to: 'car' }],
};
/** One request before the command, and one for each hundred ids. */
const TOGETHER = 3;
/** Those that are refused or cancelled already, and the last: without a line end, it arrives alone. */
const ALONE = 4;
const MANY = 120;

for (const dialect of ['sqlite', 'postgres'] satisfies Dialect[]) {
  async function open(t: ExecutionContext) {
    t.timeout(120_000);
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const runtime = await startRuntime({
      databaseUrl: database.url,
      env: { SVC_LOG_LEVEL: 'debug' },
    });
    t.teardown(() => runtime.end('SIGTERM'));
    const tenant = await runtime.newTenant();
    const env = { SVC_URL: runtime.url, SVC_TOKEN: await tenant.makeToken('operator') };
    const svc = (args: readonly string[], input: string) =>
      runSvc(args, { cwd: folder.path, env, input });
    /** How many requests of a route the process has logged. */
    const requests = (route: string) => runtime.stdout().split(`"route":"${route}"`).length - 1;
    return { tenant, svc, requests };
  }

  test(`${dialect}: cancel sends the ids of stdin together, and those that it refuses alone`, async (t) => {
    const { tenant, svc, requests } = await open(t);
    const trip = await tenant.run(TRIP);
    await tenant.work('hotel', { id: 'h1' });
    await tenant.untilEvent(trip, 'NodeCompleted', 'hotel');
    const workflow = await tenant.register(SIGNING);
    const ids = await Promise.all(Array.from({ length: MANY }, () => tenant.start(workflow)));
    const [gone = '', over = '', ...rest] = ids;
    for (const id of [gone, over]) await tenant.until(id, 'paused');
    const filter = { q: `id = ${gone}` };
    expectStatus(await tenant.post('/executions/bulk', { action: 'cancel', filter }), 200);
    expectStatus(await tenant.post(`/executions/${over}/approve`, { decision: 'approved' }), 200);
    await tenant.until(over, 'completed');

    const lines = [trip, gone, over, 'exec_typo', `  ${rest[0]}  `, '', ...rest.slice(1)];
    const { code, stdout, stderr } = await svc(['execution', 'cancel', '-'], lines.join('\r\n'));

    t.is(code, 1);
    t.deepEqual(stdout.trimEnd().split('\n'), [
      `${trip} ends as cancelled when its undos and finalizers are done`,
      // Those of each hundred ids that one request cancels come first.
      ...rest.slice(0, 96).map((id) => `${id} is cancelled`),
      `${gone} is cancelled`,
      ...rest.slice(96).map((id) => `${id} is cancelled`),
    ]);
    t.regex(stderr, new RegExp(`^${over}: .* is completed`, 'm'));
    t.regex(stderr, /^exec_typo: not found/m);
    t.regex(stderr, new RegExp(`^error: 2 of ${MANY + 2} were refused`, 'm'));
    await eventually(() => {
      if (requests('/executions/bulk') < TOGETHER) throw new Error('the log is behind');
    });
    t.is(requests('/executions/bulk'), TOGETHER);
    t.is(requests('/executions/:id/cancel'), ALONE);
    for (const id of rest) t.is((await tenant.read(id)).status, 'cancelled');
    await tenant.work('hotel.undo', {});
    await tenant.until(trip, 'cancelled');
  });

  test(`${dialect}: an approval that cannot be decided stops none of the others`, async (t) => {
    const { tenant, svc } = await open(t);
    const [decided, twice, last] = [
      await tenant.run(SIGNING),
      await tenant.run(TWICE),
      await tenant.run(SIGNING),
    ];
    for (const id of [decided, twice, last]) await tenant.until(id, 'paused');
    expectStatus(
      await tenant.post(`/executions/${decided}/approve`, { decision: 'approved' }),
      200,
    );
    await tenant.until(decided, 'completed');
    const lines = `${decided}\n${twice}\n${last}\n`;
    const { code, stdout, stderr } = await svc(['approval', 'approve', '-'], lines);
    t.is(stdout, 'approved sign\n');
    t.is(code, 1);
    t.regex(stderr, new RegExp(`^${decided}: no approval is open`, 'm'));
    t.regex(stderr, new RegExp(`^${twice}: .* several open approvals: .* one, two`, 'm'));
    t.regex(stderr, /^error: 2 of 3 were refused/m);
    await tenant.until(last, 'completed');
  });
}

const idOf = (digit: string) => `exec_${digit.repeat(32)}`;
const FIRST = idOf('1');
const SECOND = idOf('2');
const THIRD = idOf('3');
const ROUTE_OF_NONE = { status: 404, body: { status: 404, error: 'Not Found' } };
const FIRST_PAGE = {
  status: 200,
  body: { results: [{ execution_id: FIRST, outcome: 'done' }], next_cursor: 'next' },
};

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Cancels three executions at a runtime that gives these answers about many, and this about one. */
async function cancelThree(
  t: ExecutionContext,
  pages: readonly Answer[],
  ofOne: (id: string) => Answer,
) {
  const left = [...pages];
  const server = await startHttpServer((request, response) => {
    request.resume();
    const [, , id = ''] = (request.url ?? '').split('/');
    const answer = id === 'bulk' ? (left.shift() ?? ROUTE_OF_NONE) : ofOne(id);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  });
  t.teardown(() => server.close());
  const outcome = await runSvc(['execution', 'cancel', '-', '--url', server.url], {
    cwd: folder.path,
    input: `${SECOND}\n${FIRST}\n${THIRD}\n`,
  });
  return { ...outcome, paths: server.requests.map(({ url }) => url) };
}

const cancelled = (id: string) => ({
  status: 200,
  body: { execution_id: id, status: 'cancelled' },
});

for (const [what, refusal] of [
  ['too busy', { status: 503, body: { error: 'unavailable: changes too fast' } }],
  ['limited', { status: 429, body: { error: 'too many' } }],
  ['older', ROUTE_OF_NONE],
] as const) {
  test(`cancel: a runtime that is ${what} for many is asked about each`, async (t) => {
    const { code, stdout, stderr } = await cancelThree(t, [refusal], cancelled);
    t.is(code, 0, stderr);
    t.is(stdout, [SECOND, FIRST, THIRD].map((id) => `${id} is cancelled\n`).join(''));
  });
}

test('cancel: after a page that fails, only those that no page has cancelled are asked about', async (t) => {
  const failing = { status: 503, body: { error: 'unavailable: the database' } };
  const ended = { status: 400, body: { error: `bad request: execution ${THIRD} is completed` } };
  const { code, stdout, stderr, paths } = await cancelThree(t, [FIRST_PAGE, failing], (id) =>
    id === THIRD ? ended : cancelled(id),
  );
  t.is(code, 1);
  t.is(stdout, `${FIRST} is cancelled\n${SECOND} is cancelled\n`);
  t.regex(stderr, new RegExp(`^${THIRD}: .* is completed$`, 'm'));
  t.regex(stderr, /^error: 1 of 3 were refused/m);
  t.deepEqual(paths, [
    '/executions/bulk',
    '/executions/bulk',
    `/executions/${SECOND}/cancel`,
    `/executions/${THIRD}/cancel`,
  ]);
});

test('cancel: an error about all ends it, after the lines of those that are cancelled', async (t) => {
  const expired = { status: 401, body: { error: 'unauthorized' } };
  const { code, stdout } = await cancelThree(t, [FIRST_PAGE, expired], () => expired);
  t.is(code, 3);
  t.is(stdout, `${FIRST} is cancelled\n`);
});
