import { defineFunction } from 'svc-sdk/worker';

import { onBothStores, type Place } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';
import { startFunction, startWorker } from '../sdk/support/with-worker.ts';
import { runSvc, startSvc } from './run-svc.ts';

/* A developer looks at a durable function from the command line. */

const check = onBothStores();

const HUMAN_APPROVAL = { type: 'human_approval' };

/** Runs commands as an operator of the runtime, in the tenant. */
async function connect(tenant: TestTenant, place: Place) {
  const { body } = await tenant.post<{ token: string }>('/tokens', {
    name: 'commands',
    role: 'operator',
  });
  const options = {
    cwd: process.cwd(),
    env: { SVC_URL: place.runtime.url, SVC_TOKEN: body.token },
  };
  return {
    svc: (...args: string[]) => runSvc(args, options),
    start: (...args: string[]) => startSvc(args, options),
  };
}

const order = defineFunction<{ amount: number }>('order', async (ctx, { amount }) => {
  await ctx.step('reserve', () => 'shelf');
  await ctx.waitForEvent('paid');
  await ctx.step(
    'charge',
    () => {
      if (amount > 100) throw new Error('declined');
    },
    { retry: { maxAttempts: 1 } },
  );
  return { charged: amount };
});

check('result prints the output, and says what to do without one', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const { svc } = await connect(tenant, place);
  const id = await startFunction(tenant, order, { amount: 25 });
  await tenant.until(id, 'paused');
  const early = await svc('execution', 'result', id);
  t.is(early.code, 1);
  t.is(early.stdout, '');
  t.regex(
    early.stderr,
    /^error: exec_\w+ has not ended: it is paused; .*--wait.* explain exec_\w+\n$/,
  );

  const nobody = await svc('execution', 'result', `exec_${'0'.repeat(32)}`, '--wait');
  t.is(nobody.code, 4);
  t.regex(nobody.stderr, /^error: not found: execution exec_0+; [^\n]+\n$/);

  await tenant.deliver(id, 'paid');
  await tenant.until(id, 'completed');
  const ended = await svc('execution', 'result', id);
  t.is(ended.code, 0, ended.stderr);
  t.deepEqual(JSON.parse(ended.stdout), { charged: 25 });
  const data = await svc('execution', 'result', id, '-o', 'json');
  t.like(JSON.parse(data.stdout), {
    execution_id: id,
    status: 'completed',
    output: { charged: 25 },
    error: null,
  });
});

/** Two rounds, each with a person's decision, and two continuations: before and after the second decision. */
const ROUNDS = {
  workflow_id: 'rounds',
  start_node: 'ask',
  nodes: {
    ask: { kind: { type: 'human_approval' } },
    count: { kind: { type: 'pass', output: { rounds: { expr: 'state.rounds + 1' } } } },
  },
  edges: [
    { from: 'ask', to: 'count' },
    { from: 'count', to: 'ask', condition: 'state.rounds < 2' },
  ],
  continue_as_new: { when: 'state.rounds == 1' },
};

check('result --wait prints the output of the run that continues', async (t, tenant, place) => {
  const { start } = await connect(tenant, place);
  const id = await tenant.run(ROUNDS, { rounds: 0 });
  const waiting = start('execution', 'result', id, '--wait');
  await waiting.waitFor(new RegExp(`approve ${id} --node ask`));
  await tenant.approve(id, { decision: 'approved', node_id: 'ask' });
  const [, next = ''] = await waiting.waitFor(
    new RegExp(`approve (?!${id})(exec_\\w+) --node ask`),
  );
  await tenant.approve(next, { decision: 'approved', node_id: 'ask' });
  t.deepEqual(await waiting.ended, { code: 0, signal: null }, waiting.output());
  t.regex(waiting.output(), /"rounds": 2/);
});

check('start --wait prints the run that continues', async (t, tenant, place) => {
  const { start } = await connect(tenant, place);
  await tenant.post('/workflows', { ir: ROUNDS });
  const json = ['--wait', '-o', 'json'];
  const waiting = start('execution', 'start', 'rounds', '--input', '{"rounds": 0}', ...json);
  const [, id = ''] = await waiting.waitFor(/approve (exec_\w+) --node ask/);
  await tenant.approve(id, { decision: 'approved', node_id: 'ask' });
  const [, next = ''] = await waiting.waitFor(
    new RegExp(`${id} continues as (exec_\\w+)\n[^]*approve \\1 --node ask`),
  );
  await tenant.approve(next, { decision: 'approved', node_id: 'ask' });
  t.deepEqual(await waiting.ended, { code: 0, signal: null }, waiting.output());
  const output = waiting.output();
  const last = [...output.matchAll(/ continues as (exec_\w+)\n/g)].at(-1)?.[1];
  t.like(JSON.parse(output.slice(output.indexOf('{'))), {
    execution_id: last,
    status: 'completed',
    state: { rounds: 2 },
    continued_as: null,
  });
});

check(
  'a failed function: result exits with 8, and events name its steps',
  async (t, tenant, place) => {
    startWorker(t, { tenant, place, options: { functions: [order] } });
    const { svc } = await connect(tenant, place);
    const id = await startFunction(tenant, order, { amount: 2500 });
    await tenant.until(id, 'paused');
    await tenant.deliver(id, 'paid');
    await tenant.until(id, 'failed');
    const failed = await svc('execution', 'result', id);
    t.is(failed.code, 8);
    t.is(failed.stdout, '');
    t.regex(failed.stderr, /^error: exec_\w+ failed: node run failed: step charge: declined\n$/);
    const data = await svc('execution', 'result', id, '--json');
    t.is(data.code, 8);
    t.like(JSON.parse(data.stdout), { status: 'failed', error: { node_id: 'run' } });

    const { stdout } = await svc('execution', 'events', id);
    t.regex(stdout, /^\d+ +\S+ +StepRecorded +run +reserve +- +- +-$/m);
    t.regex(stdout, /^\d+ +\S+ +NodeSuspended +run +paid +1 +- +-$/m);
    t.regex(stdout, /^\d+ +\S+ +StepRecorded +run +charge +- +- +declined$/m);
    t.regex((await svc('execution', 'show', id)).stdout, /step charge: declined$/m);
    t.regex((await svc('failure', 'list')).stdout, /step charge: declined/);
  },
);

const release = defineFunction('release', async (ctx) => {
  await ctx.step('build', () => 'image');
  await ctx.approval('ship it');
});

check('lists name the approval that an execution waits for', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [release] } });
  const { svc } = await connect(tenant, place);
  await tenant.register({ workflow_id: 'asks', nodes: { review: { kind: HUMAN_APPROVAL } } });
  const asks = await tenant.start('asks');
  const asksByStep = await startFunction(tenant, release, {});
  const decided = await tenant.start('asks');
  for (const id of [asks, asksByStep, decided]) await tenant.until(id, 'paused');
  const approved = await svc('execution', 'approve', decided);
  t.is(approved.code, 0, approved.stderr);
  await tenant.until(decided, 'completed');

  const { stdout } = await svc('execution', 'list');
  const lineOf = (id: string) => stdout.split('\n').find((line) => line.includes(id)) ?? '';
  t.regex(lineOf(asks), / approval of review\s+-$/);
  t.regex(lineOf(asksByStep), / approval of ship it\s+-$/);
  t.regex(lineOf(decided), /Z\s+-\s+-$/);
});

check('show counts completed nodes, and does not call them steps', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [release] } });
  const { svc } = await connect(tenant, place);
  const id = await startFunction(tenant, release, {});
  await tenant.until(id, 'paused');
  const { stdout } = await svc('execution', 'show', id);
  t.regex(stdout, /^nodes completed\s+0$/m);
  t.notRegex(stdout, /^steps\s/m);
});
