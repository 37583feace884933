import { defineFunction, NonRetryableError, WaitTimeoutError } from 'svc-sdk/worker';
import { cel } from 'svc-sdk/workflow';

import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { startFunction, startWorker, until } from '../support/with-worker.ts';

const check = onBothStores();

/** An order that a rejected payment rolls back. */
function saga(done: string[]) {
  const mark = (name: string) => () => {
    done.push(name);
    return { name };
  };
  return defineFunction<{ refuse: boolean; wait?: boolean }>('order', async (ctx, input) => {
    ctx.onRollback('release stock', mark('released'));
    await ctx.step('reserve stock', mark('reserved'));
    ctx.onRollback('refund', mark('refunded'));
    await ctx.step(
      'charge',
      () => {
        if (input.refuse) throw new Error('declined');
        return mark('charged')();
      },
      { retry: { maxAttempts: 1 } },
    );
    if (input.wait === true) await ctx.waitForEvent('never');
    return { order: 'sent' };
  });
}

check('a function runs its steps and its output is the result', async (t, tenant, place) => {
  const done: string[] = [];
  const order = saga(done);
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, { refuse: false });
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { order: 'sent' });
  t.deepEqual(done, ['reserved', 'charged']);
  return tenant.story(id);
});

check('executions of a function keep to its concurrency', async (t, tenant, place) => {
  const lend = defineFunction<{ book: string }>(
    'lend',
    async (ctx) => {
      await ctx.waitForEvent('back');
      return {};
    },
    { workflow: { concurrency: { key: cel`input.book`, limit: 1 } } },
  );
  startWorker(t, { tenant, place, options: { functions: [lend] } });
  const first = await startFunction(tenant, lend, { book: 'tides' });
  const second = await tenant.start('lend', { book: 'tides' });
  const other = await tenant.start('lend', { book: 'dunes' });
  for (const id of [first, other]) await tenant.until(id, 'paused');
  t.deepEqual(await tenant.story(second), ['WorkflowStarted']);
  await tenant.deliver(first, 'back');
  await tenant.until(first, 'completed');
  await tenant.until(second, 'paused');
  await tenant.deliver(second, 'back');
  await tenant.until(second, 'completed');
});

check('a function that fails undoes what it did, in reverse order', async (t, tenant, place) => {
  const done: string[] = [];
  const order = saga(done);
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, { refuse: true });
  await tenant.until(id, 'failed');
  t.deepEqual(done, ['reserved', 'refunded', 'released']);
  const end = (await tenant.events(id)).at(-1);
  t.like(end, { kind: 'WorkflowFailed', payload: { error_class: 'Error' } });
  return tenant.story(id);
});

check('a cancelled function undoes what it did', async (t, tenant, place) => {
  const done: string[] = [];
  const order = saga(done);
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const id = await startFunction(tenant, order, { refuse: false, wait: true });
  await until('the function is suspended', () => done.includes('charged'));
  await tenant.untilEvent(id, 'NodeSuspended');
  await tenant.cancel(id);
  await tenant.until(id, 'cancelled');
  t.deepEqual(done, ['reserved', 'charged', 'refunded', 'released']);
});

check('a function sleeps, and each wait ends a turn', async (t, tenant, place) => {
  const turns: number[] = [];
  const nap = defineFunction('nap', async (ctx) => {
    turns.push(ctx.turn);
    await ctx.sleep(20);
    await ctx.sleepUntil('later', ctx.now() + 20);
    return { slept: true };
  });
  startWorker(t, { tenant, place, options: { functions: [nap] } });
  const id = await startFunction(tenant, nap, {});
  await tenant.until(id, 'completed');
  t.true(turns.length >= 2 && turns.length <= 3, turns.join());
  t.deepEqual(
    turns,
    turns.toSorted((one, other) => one - other),
  );
});

check(
  'an event counts when it comes after the wait, and when it came before',
  async (t, tenant, place) => {
    let mayWait = () => undefined as void;
    const early = new Promise<void>((resolve) => (mayWait = resolve));
    const pay = defineFunction<{ early: boolean }>('pay', async (ctx, input) => {
      if (input.early) await ctx.step('hold', () => early);
      return ctx.waitForEvent<{ amount: number }>('paid', { key: 'order-1' });
    });
    startWorker(t, { tenant, place, options: { functions: [pay] } });
    const late = await startFunction(tenant, pay, { early: false });
    await tenant.untilEvent(late, 'NodeSuspended');
    await tenant.deliver(late, 'order-1', { amount: 3 });
    t.deepEqual((await tenant.until(late, 'completed')).state['output'], { amount: 3 });
    const first = await tenant.start('pay', { early: true });
    await tenant.deliver(first, 'order-1', { amount: 4 });
    mayWait();
    t.deepEqual((await tenant.until(first, 'completed')).state['output'], { amount: 4 });
  },
);

check('an event that does not come in time throws WaitTimeoutError', async (t, tenant, place) => {
  const pay = defineFunction('pay', async (ctx) => {
    try {
      await ctx.waitForEvent('paid', { timeout: 30 });
      return { paid: true };
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      return { paid: false };
    }
  });
  startWorker(t, { tenant, place, options: { functions: [pay] } });
  const id = await startFunction(tenant, pay, {});
  t.deepEqual((await tenant.until(id, 'completed')).state['output'], { paid: false });
});

check(
  'a recorded error that the code lets through is no reason for another attempt',
  async (t, tenant, place) => {
    const child = defineFunction('refusing', () => {
      throw new NonRetryableError('no');
    });
    const late = defineFunction('late', async (ctx) =>
      ctx.waitForEvent<object>('paid', { timeout: 30 }),
    );
    const parent = defineFunction('asking', async (ctx) => ctx.call(child, {}));
    startWorker(t, { tenant, place, options: { functions: [child, late, parent] } });
    await tenant.register(JSON.parse(JSON.stringify(child.toIR())));
    for (const served of [late, parent]) {
      const id = await startFunction(tenant, served, {});
      await tenant.until(id, 'failed');
      const failures = (await tenant.events(id)).filter(({ kind }) => kind === 'NodeFailed');
      t.is(failures.length, 1);
      t.like(failures[0]?.payload, { attempt: 0, retryable: false });
    }
  },
);

check('people approve and refuse', async (t, tenant, place) => {
  const ask = defineFunction('ask', async (ctx) => {
    const [one, other] = await ctx.all([
      async () => ctx.approval('legal', { description: 'May we?', context: { amount: 5 } }),
      async () => ctx.approval('finance', {}),
    ]);
    return { one, other };
  });
  startWorker(t, { tenant, place, options: { functions: [ask] } });
  const id = await startFunction(tenant, ask, {});
  await tenant.untilEvent(id, 'NodeSuspended');
  await tenant.approve(id, {
    node_id: 'run',
    step: 'all[0]/legal',
    decision: 'approved',
    comment: 'fine',
  });
  await tenant.approve(id, { node_id: 'run', step: 'all[1]/finance', decision: 'rejected' });
  const { output } = (await tenant.until(id, 'completed')).state as {
    output: { one: object; other: object };
  };
  t.like(output.one, { approved: true, comment: 'fine' });
  t.like(output.other, { approved: false, comment: null });
});

check('a function calls another, and learns of its failure', async (t, tenant, place) => {
  const child = defineFunction<{ number: number }, { square: number }>(
    'square',
    (_ctx, { number }) => {
      if (number < 0) throw new RangeError('negative');
      return { square: number * number };
    },
    { retryPolicy: 'no_retry' },
  );
  const parent = defineFunction('parent', async (ctx) => {
    const { square } = await ctx.call(child, { number: 7 });
    const failed = await ctx.call(child, { number: -1 }).catch((error: Error) => error.name);
    return { square, failed };
  });
  startWorker(t, { tenant, place, options: { functions: [child, parent] } });
  await until('the worker has registered', () => true);
  await tenant.register(JSON.parse(JSON.stringify(child.toIR())));
  const id = await startFunction(tenant, parent, {});
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { square: 49, failed: 'ChildError' });
});

check('branches work side by side, and the loser of a race is left', async (t, tenant, place) => {
  const fan = defineFunction('fan', async (ctx) => {
    const sums = await ctx.map(
      [1, 2, 3, 4, 5],
      async (item) => {
        const doubled = await ctx.step('double', () => item * 2);
        await ctx.sleep(5);
        return ctx.step('add', () => doubled + 1);
      },
      { name: 'items', concurrency: 3 },
    );
    const winner = await ctx.race([
      async () => ctx.waitForEvent('never').then(() => 'event'),
      async () => ctx.sleep(10).then(() => 'timer'),
    ]);
    return { sums, winner };
  });
  startWorker(t, { tenant, place, options: { functions: [fan] } });
  const id = await startFunction(tenant, fan, {});
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { sums: [3, 5, 7, 9, 11], winner: 'timer' });
});

check('two workers share functions, and each step has one result', async (t, tenant, place) => {
  const effects = new Map<string, number>();
  const many = defineFunction('many', async (ctx) => {
    for (let index = 0; index < 3; index += 1) {
      await ctx.step('add', ({ idempotencyKey }) => {
        effects.set(idempotencyKey, (effects.get(idempotencyKey) ?? 0) + 1);
      });
      await ctx.sleep(1);
    }
    return {};
  });
  startWorker(t, { tenant, place, options: { functions: [many], concurrency: 2 } });
  startWorker(t, { tenant, place, options: { functions: [many], concurrency: 2 } });
  const first = await startFunction(tenant, many, {});
  const ids = [first];
  for (let count = 0; count < 5; count += 1) ids.push(await tenant.start('many'));
  for (const id of ids) await tenant.until(id, 'completed');
  t.is(effects.size, 18);
  t.true(effects.values().every((count) => count === 1));
});

check(
  'a worker that stops gives its functions back, with what is done',
  async (t, tenant, place) => {
    const ran: string[] = [];
    let mayEnd = false;
    const hold = defineFunction('hold', async (ctx) => {
      await ctx.step('first', () => void ran.push('first'));
      await ctx.step('second', () => {
        ran.push('second');
        return mayEnd ? {} : new Promise<object>(() => undefined);
      });
      return { attempt: ctx.attempt };
    });
    const { worker } = startWorker(t, { tenant, place, options: { functions: [hold] } });
    const id = await startFunction(tenant, hold, {});
    await until('the second step is under way', () => ran.includes('second'));
    await worker.stop({ deadlineMs: 1 });
    mayEnd = true;
    startWorker(t, { tenant, place, options: { functions: [hold] } });
    t.deepEqual((await tenant.until(id, 'completed')).state['output'], { attempt: 0 });
    t.deepEqual(ran, ['first', 'second', 'second']);
  },
);

check('1 000 steps', async (t, tenant, place) => {
  let ran = 0;
  const long = defineFunction('long', async (ctx) => {
    const quick = { durability: 'end' } as const;
    for (let index = 0; index < 1000; index += 1) await ctx.step('add', () => (ran += 1), quick);
    await ctx.sleep(1);
    return { ran: await ctx.step('count', () => ran) };
  });
  startWorker(t, { tenant, place, options: { functions: [long] } });
  const id = await startFunction(tenant, long, {});
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { ran: 1000 });
});

check('a function that no worker serves waits, and explain tells', async (t, tenant, place) => {
  const right = defineFunction('order', () => ({}));
  const typo = defineFunction('odrer', () => ({}));
  startWorker(t, { tenant, place, options: { functions: [right] } });
  const id = await startFunction(tenant, typo, {});
  await eventually(async () => {
    const { body } = await tenant.get<{ blockers: { code: string }[] }>(
      `/executions/${id}/explain`,
    );
    const codes = body.blockers.map(({ code }) => code);
    if (!codes.includes('no_worker_for_tool')) throw new Error(`explain tells ${codes.join()}`);
  });
  t.is((await tenant.read(id)).status, 'running');
});

check('a deploy in the middle leaves a pinned function to its build', async (t, tenant, place) => {
  const build = (buildId: string) => {
    const ship = defineFunction(
      'ship',
      async (ctx) => {
        // Each build has a journal of its own.
        const packed = await ctx.step(`pack with ${buildId}`, () => buildId);
        await ctx.waitForEvent('go');
        return { packed, shipped: await ctx.step(`ship with ${buildId}`, () => buildId) };
      },
      { pinned: true },
    );
    return { ship, ...startWorker(t, { tenant, place, options: { functions: [ship], buildId } }) };
  };
  const old = build('one');
  const id = await startFunction(tenant, old.ship, {});
  await tenant.untilEvent(id, 'NodeSuspended', 'run');
  await old.worker.stop();
  build('two');
  await tenant.deliver(id, 'go');
  await tenant.untilEvent(id, 'NodeResumed', 'run');
  const other = await tenant.start('ship', {});
  await tenant.deliver(other, 'go');
  const { state: ofNew } = await tenant.until(other, 'completed');
  t.deepEqual(ofNew['output'], { packed: 'two', shipped: 'two' });
  build('one');
  const { state } = await tenant.until(id, 'completed');
  t.deepEqual(state['output'], { packed: 'one', shipped: 'one' });
});
