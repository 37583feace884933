import anyTest, { type TestFn } from 'ava';

import type { Dialect } from '../../support/database.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { startWorkflow } from '../support/workflows.ts';

const test = anyTest as TestFn<Readonly<Record<Dialect, TestApi>>>;
const DIALECTS = ['sqlite', 'postgres'] as const;
/** Two events a round: more than two pages of the API. */
const ROUNDS = 600;

test.before(async (t) => {
  t.context = {
    sqlite: await startTestApi({ dialect: 'sqlite' }),
    postgres: await startTestApi({ dialect: 'postgres' }),
  };
});

test.after.always((t) => Promise.all(DIALECTS.map((dialect) => t.context[dialect].close())));

/** Asks first, then counts, then asks again. */
function startLong(api: TestApi, workflowId: string, rounds = ROUNDS): Promise<string> {
  const approval = { kind: { type: 'human_approval' } };
  const ir = {
    workflow_id: workflowId,
    nodes: {
      first: approval,
      count: { kind: { type: 'pass', output: { n: { expr: 'state.n + 1' } } } },
      last: approval,
    },
    start_node: 'first',
    edges: [
      { from: 'first', to: 'count' },
      { from: 'count', to: 'count', condition: `state.n < ${rounds}` },
      { from: 'count', to: 'last' },
    ],
  };
  return startWorkflow(api, { ir, input: { n: 0 } });
}

interface Event {
  readonly sequence: number;
  readonly kind: string;
}

for (const dialect of DIALECTS) {
  test.serial(`200: all events of a long history come in pieces (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const executionId = await startLong(api, 'long');
    await decide(api, executionId, 'first');
    const read = async (query: string) => {
      const { status, body } = await api.call({
        path: `/executions/${executionId}/events${query}`,
      });
      t.is(status, 200);
      return body['events'] as unknown as readonly Event[];
    };
    const all = await read('');
    t.true(all.length > 2 * ROUNDS);
    t.deepEqual(
      all.map(({ sequence }) => sequence),
      Array.from({ length: all.length }, (_, index) => index + 1),
    );
    t.deepEqual(await read(`?limit=${all.length}`), all);
    t.deepEqual(await read('?order=desc'), all.toReversed());
    t.deepEqual(await read('?after=100&before=1100'), all.slice(100, 1_099));
    t.deepEqual(
      await read('?order=desc&after=100&before=1100'),
      all.slice(100, 1_099).toReversed(),
    );
    t.deepEqual(
      await read('?types=NodeCompleted'),
      all.filter(({ kind }) => kind === 'NodeCompleted'),
    );
  });

  test.serial(`200: approvals of a long history are found (${dialect})`, async (t) => {
    const api = t.context[dialect];
    const executionId = await startLong(api, 'asked');
    const nodesOf = async () => {
      const { body } = await api.call({ path: `/executions/${executionId}/approvals` });
      const ids = (name: string) =>
        (body[name] as unknown as readonly { readonly node_id: string }[]).map(
          (one) => one.node_id,
        );
      return { pending: ids('pending'), decided: ids('decided') };
    };
    t.deepEqual(await nodesOf(), { pending: ['first'], decided: [] });
    await decide(api, executionId, 'first');
    t.deepEqual(await nodesOf(), { pending: ['last'], decided: ['first'] });
    await api.call({ path: `/executions/${executionId}/cancel`, body: {} });
    t.deepEqual(await nodesOf(), { pending: [], decided: ['first'] });
  });
}

async function decide(api: TestApi, executionId: string, nodeId: string): Promise<void> {
  const body = { node_id: nodeId, decision: 'approved' };
  await api.call({ path: `/executions/${executionId}/approve`, body });
  await api.advance(executionId);
}
