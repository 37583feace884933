import { readFile } from 'node:fs/promises';

import { onBothStores } from '../support/both-stores.ts';

const check = onBothStores();
const EXAMPLES = new URL('../../examples/workflows/', import.meta.url);

interface Simulated {
  readonly status: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  readonly events: readonly { readonly kind: string; readonly node_id: string | null }[];
  readonly assumed: readonly string[];
  readonly is_complete: boolean;
}

async function readExample(name: string): Promise<object> {
  return JSON.parse(await readFile(new URL(`${name}.json`, EXAMPLES), 'utf8')) as object;
}

check('200: a run in memory takes the path that the engine takes', async (t, svc) => {
  const ir = await readExample('order');
  const run = async (total: number, samples: object = {}) => {
    const input = { order_id: 'o-1', total };
    const { status, body } = await svc.post<Simulated>('/workflows/simulate', {
      ir,
      input,
      samples,
    });
    t.is(status, 200);
    const completed = body.events
      .filter(({ kind }) => kind === 'NodeCompleted')
      .map(({ node_id }) => node_id ?? '');
    return { ...body, completed };
  };
  const small = await run(50, { reserve: { output: { shelf: 7 } } });
  t.is(small.status, 'completed');
  t.deepEqual(small.state['reservation'], { shelf: 7 });
  t.deepEqual(small.completed.toSorted(), [
    'authorize',
    'check_total',
    'cool_off',
    'dispatch',
    'prepare',
    'prepared',
    'reserve',
  ]);
  t.deepEqual(small.assumed.toSorted(), ['authorize', 'cool_off', 'dispatch']);
  t.true((await run(500)).completed.includes('review'));
  const declined = await run(500, { review: { decision: 'rejected' } });
  t.is(declined.state['result'], 'declined');
  t.false(declined.completed.includes('dispatch'));
  const failed = await run(50, { dispatch: { error: 'no courier' } });
  t.is(failed.status, 'failed');
  t.regex(failed.error ?? '', /no courier/);
  t.deepEqual((await svc.get<{ workflows: object[] }>('/workflows')).body.workflows, []);
  t.deepEqual((await svc.get<{ executions: object[] }>('/executions')).body.executions, []);
  return { ...small, events: small.events };
});

check('200: maps, children and events are answered by samples', async (t, svc) => {
  const body = { kind: 'python_fn', module: 'm', function: 'f' };
  const ir = {
    workflow_id: 'w',
    start_node: 'each',
    nodes: {
      each: { kind: { type: 'map', items: [1, 2, 3], node: body }, output_key: 'each' },
      child: { kind: { type: 'subgraph', workflow_ref: 'other' }, output_key: 'child' },
      paid: { kind: { type: 'wait', condition: 'external_event' }, output_key: 'paid' },
    },
    edges: [
      { from: 'each', to: 'child' },
      { from: 'child', to: 'paid' },
    ],
  };
  const samples = {
    'each.item': { output: 'x' },
    child: { output: { done: true } },
    paid: { output: { amount: 5 } },
  };
  const run = await svc.post<Simulated>('/workflows/simulate', { ir, samples });
  t.like(run.body, { status: 'completed', is_complete: true, assumed: [] });
  t.deepEqual(run.body.state, {
    each: ['x', 'x', 'x'],
    child: { done: true },
    paid: { amount: 5 },
  });
});

check('200: a run that fails undoes its steps; one whose undo fails waits', async (t, svc) => {
  const ir = {
    workflow_id: 'w',
    start_node: 'a',
    nodes: { a: { undo: {} }, no: { kind: 'fail', message: 'refused' } },
    edges: [{ from: 'a', to: 'no' }],
  };
  const whole = await svc.post<Simulated>('/workflows/simulate', { ir });
  t.like(whole.body, { status: 'failed', error: 'refused', is_complete: true });
  const kind = { type: 'python_fn', module: 'm', function: 'f' };
  const broken = await svc.post<Simulated>('/workflows/simulate', {
    ir: { ...ir, nodes: { ...ir.nodes, a: { undo: { kind } } } },
    samples: { 'a.undo': { error: 'closed' } },
  });
  t.like(broken.body, { status: 'running', is_complete: true });
});

check('200: a loop without an end is cut off', async (t, svc) => {
  const ir = {
    workflow_id: 'w',
    start_node: 'a',
    nodes: { a: {}, b: {} },
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ],
  };
  const run = await svc.post<Simulated>('/workflows/simulate', { ir });
  t.false(run.body.is_complete);
  t.is(run.body.status, 'running');
});

check('400: a definition that cannot run, or an input that it refuses', async (t, svc) => {
  const wrong = await svc.post<{ problems: readonly { pointer: string }[] }>(
    '/workflows/simulate',
    {
      ir: { workflow_id: 'w', nodes: { a: { kind: 'nap' } } },
    },
  );
  t.is(wrong.status, 400);
  t.is(wrong.body.problems[0]?.pointer, '/nodes/a/kind');
  const refused = await svc.post<{ error: string }>('/workflows/simulate', {
    ir: { workflow_id: 'w', state_schema: { required: ['x'] } },
  });
  t.is(refused.status, 400);
  t.regex(refused.body.error, /input does not satisfy the state schema/);
  t.is((await svc.post('/workflows/simulate', {})).status, 400);
});
