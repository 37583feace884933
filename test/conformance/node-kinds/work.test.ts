import { onBothStores } from '../../support/both-stores.ts';
import { masked } from '../../support/told.ts';

/*
 * Kinds that complete at once or that workers execute; retries, and the consequences of a failure.
 */

const check = onBothStores();
const call = (name: string) => ({ kind: 'python_fn', module: 'm', function: name });
const delays = (events: readonly { payload: Readonly<Record<string, unknown>> }[]) =>
  events.flatMap(({ payload }) => payload['delay_ms'] ?? []);

check('no nodes: an execution completes at once', async (t, svc) => {
  const id = await svc.run({ nodes: {}, edges: [] }, { a: 1 });
  t.deepEqual(await svc.story(id), ['WorkflowStarted', 'WorkflowCompleted']);
  const execution = await svc.read(id);
  t.deepEqual([execution.status, execution.steps_executed], ['completed', 0]);
  t.deepEqual(execution.state, { a: 1 });
});

check('pass: its output is merged into the state', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        a: { kind: { type: 'pass', output: { greeting: { literal: 'hello' }, to: '$.name' } } },
        b: { output_key: 'copy', input_mapping: { seen: 'state.greeting' } },
      },
      edges: [{ from: 'a', to: 'b' }],
    },
    { name: 'world' },
  );
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, {
    name: 'world',
    greeting: 'hello',
    to: 'world',
    copy: { seen: 'hello' },
  });
  t.is(execution.steps_executed, 2);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeCompleted a',
    'NodeScheduled b',
    'NodeCompleted b',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('python_fn: a worker completes it', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: {
        greet: { kind: { type: 'python_fn', module: 'greetings', function: 'hello' } },
        sum: {
          type: 'python_tool',
          module: 'sums',
          function: 'add',
          input_mapping: { x: '$.x', y: { literal: 2 } },
          output_key: 'sum',
        },
      },
      edges: [{ source: 'greet', target: 'sum' }],
    },
    { x: 40 },
  );
  const greet = await svc.work('greet', { text: 'hi' }, { state_patch: { x: 1, z: null } });
  t.is(greet.queue_type, 'python_tool');
  t.like(greet.payload, { module: 'greetings', function: 'hello', input: { x: 40 } });
  const sum = await svc.work('sum', { total: 3 });
  t.deepEqual(sum.payload['input'], { x: 1, y: 2 });
  const execution = await svc.until(id, 'completed');
  t.deepEqual(execution.state, { x: 1, sum: { total: 3 } });
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled greet',
    'ToolCallCompleted greet',
    'NodeCompleted greet',
    'NodeScheduled sum',
    'ToolCallCompleted sum',
    'NodeCompleted sum',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('java_fn: a worker gets class and method, under both pairs of names', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      a: { kind: { type: 'java_fn', class_name: 'com.example.Tax', method: 'compute' } },
      b: { kind: { type: 'java_tool', module: 'com.example.Tax', function: 'print' } },
    },
    edges: [{ from: 'a', to: 'b' }],
  });
  const names = (payload: Readonly<Record<string, unknown>>) =>
    ['class', 'method', 'module', 'function'].map((name) => payload[name]);
  const a = await svc.claim({ queue_types: ['java_tool'] });
  t.is(a.queue_type, 'java_tool');
  t.deepEqual(names(a.payload), ['com.example.Tax', 'compute', 'com.example.Tax', 'compute']);
  t.is((await svc.complete(a)).status, 200);
  const b = await svc.work('b');
  t.deepEqual(names(b.payload), ['com.example.Tax', 'print', 'com.example.Tax', 'print']);
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('a failed attempt is tried again after its backoff', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: { ...call('f'), retry_policy: 'quick' } },
    edges: [],
    retry_policies: {
      quick: { max_attempts: 4, initial_delay: '40ms', max_delay: '100ms', jitter: false },
    },
  });
  for (const attempt of [0, 1, 2]) {
    const answer = await svc.breakDown('a', { error: `broke ${attempt}` });
    t.like(answer, { failed: true, retryable: true, attempt });
  }
  await svc.work('a');
  await svc.until(id, 'completed');
  const events = await svc.events(id);
  t.deepEqual(delays(events), [40, 80, 100]);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    ...Array.from({ length: 3 }, () => ['NodeFailed a', 'RetryScheduled a']).flat(),
    'ToolCallCompleted a',
    'NodeCompleted a',
    'WorkflowCompleted',
  ]);
  return masked(events);
});

check('backoff: fixed stays, linear grows evenly', async (t, svc) => {
  const policy = { max_attempts: 3, initial_delay: 0.03, jitter: false };
  for (const [backoff, expected] of [
    ['fixed', [30, 30]],
    ['linear', [30, 60]],
  ] as const) {
    const id = await svc.run({
      nodes: { a: { ...call('f'), retry_policy: { ...policy, backoff } } },
      edges: [],
    });
    await svc.breakDown('a');
    await svc.breakDown('a');
    await svc.work('a');
    await svc.until(id, 'completed');
    t.deepEqual(delays(await svc.events(id)), [...expected]);
  }
});

check('the last attempt that fails ends the execution', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: { ...call('f'), retry_policy: 'no_retry' }, b: {} },
    edges: [{ from: 'a', to: 'b' }],
  });
  const answer = await svc.breakDown('a', { error: 'no such city' });
  t.like(answer, { failed: true, retryable: false, attempt: 0 });
  const execution = await svc.until(id, 'failed');
  t.is(execution.error, 'node a failed: no such city');
  t.regex(execution.completed_at ?? '', /Z$/);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeFailed a',
    'WorkflowFailed',
  ]);
  return masked(await svc.events(id));
});

check('an error class that is not retryable is not tried again', async (t, svc) => {
  const policies = {
    listed: { retryable_on: ['network'], initial_delay: 0 },
    excluded: { non_retryable_on: ['validation'], initial_delay: 0 },
  };
  for (const retry_policy of Object.keys(policies)) {
    const id = await svc.run({
      nodes: { a: { ...call('f'), retry_policy } },
      edges: [],
      retry_policies: policies,
    });
    t.true((await svc.breakDown('a', { error_class: 'network' })).retryable);
    t.false((await svc.breakDown('a', { error_class: 'validation' })).retryable);
    await svc.until(id, 'failed');
  }
});

check('a failure edge leads on from a node that failed permanently', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      a: { ...call('f'), retry_policy: 'no_retry' },
      happy: {},
      sad: {},
      last: {},
    },
    edges: [
      { from: 'a', to: 'happy' },
      { from: 'a', to: 'sad', on: 'failure' },
      { from: 'happy', to: 'last' },
      { from: 'sad', to: 'last' },
    ],
  });
  await svc.breakDown('a');
  const execution = await svc.until(id, 'completed');
  t.is(execution.error, null);
  t.deepEqual(await svc.story(id), [
    'WorkflowStarted',
    'NodeScheduled a',
    'NodeFailed a',
    'NodeScheduled sad',
    'NodeCompleted sad',
    'NodeScheduled last',
    'NodeCompleted last',
    'NodeSkipped happy',
    'WorkflowCompleted',
  ]);
  return masked(await svc.events(id));
});

check('a failure takes other live nodes with it, and their items', async (t, svc) => {
  const id = await svc.run({
    nodes: {
      split: { kind: { type: 'parallel', branches: ['a', 'b', 'c'] } },
      a: { ...call('f'), retry_policy: 'no_retry' },
      b: call('g'),
      c: call('h'),
    },
    edges: [],
  });
  const [a, b] = [await svc.claimOf('a'), await svc.claimOf('b')];
  t.is((await svc.fail(a)).status, 200);
  await svc.until(id, 'failed');
  const late = await svc.complete(b);
  t.is(late.status, 409);
  t.deepEqual(late.body, {
    error: 'conflict: already settled',
    completed: false,
    reason: 'already settled',
  });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual((await svc.story(id)).slice(-4), [
    'NodeFailed a',
    'NodeCancelled b',
    'NodeCancelled c',
    'WorkflowFailed',
  ]);
  return masked(await svc.events(id));
});
