import test from 'ava';

import { RetryAfter, type FunctionContext } from 'svc-sdk/worker';

import { Crash, MemoryRuntime } from './support/memory-runtime.ts';

test('a step runs once, and later turns return what it recorded', async (t) => {
  const runtime = new MemoryRuntime();
  let charges = 0;
  const run = async (ctx: FunctionContext) => {
    const first = await ctx.step('charge', () => ({ charge: (charges += 1) }));
    await ctx.sleep('1h');
    const second = await ctx.step('charge', () => ({ charge: (charges += 1) }));
    return [first, second];
  };
  const outcome = await runtime.runToEnd(run);
  t.like(outcome, { kind: 'completed', output: [{ charge: 1 }, { charge: 2 }] });
  t.is(runtime.turns, 2);
  t.deepEqual(
    runtime.entries.map(({ identity, kind }) => `${kind} ${identity}`),
    ['step charge', 'timer sleep', 'step charge#2'],
  );
});

test('a step that a crash interrupted runs again under the same key', async (t) => {
  const keys: string[] = [];
  const run = (ctx: FunctionContext) =>
    ctx.step('charge', async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      return 'paid';
    });
  const runtime = new MemoryRuntime({
    meet: () => {
      if (keys.length === 1) throw new Crash();
    },
  });
  t.is(await runtime.runOne(run), null);
  t.is(runtime.entries.length, 0);
  const outcome = await runtime.runToEnd(run);
  t.like(outcome, { kind: 'completed', output: 'paid' });
  t.is(keys.length, 2);
  t.is(new Set(keys).size, 1);
});

test('a waiting function leaves nothing running, and names all that it waits for', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runOne(async (ctx) => {
    await ctx.race([
      async () => ctx.waitForEvent('paid', { key: 'order-1', timeout: '2h' }),
      async () => ctx.sleep('late', '7d'),
    ]);
  });
  t.deepEqual(outcome, { kind: 'suspended' });
  t.deepEqual(
    [...runtime.waits.values()],
    [
      {
        identity: 'race[0]/paid',
        kind: 'event',
        correlation_key: 'order-1',
        timeout_ms: 7_200_000,
      },
      { identity: 'race[1]/late', kind: 'timer', delay_ms: 604_800_000 },
    ],
  );
});

test('a wait that is satisfied within the suspend continues the same turn', async (t) => {
  const runtime = new MemoryRuntime({ answersAtOnce: () => true });
  const outcome = await runtime.runToEnd(async (ctx) => {
    const event = await ctx.waitForEvent('paid');
    return { event, sum: await ctx.step('sum', () => 3) };
  });
  t.like(outcome, { kind: 'completed', output: { event: { for: 'paid' }, sum: 3 } });
  t.is(runtime.turns, 1);
});

test('steps with durability end ride with the result, in one request', async (t) => {
  let commits = 0;
  const runtime = new MemoryRuntime({
    meet: (point) => void (commits += Number(point === 'before a commit')),
  });
  const run = async (ctx: FunctionContext) => {
    const a = await ctx.step('a', () => 1, { durability: 'end' });
    const b = await ctx.step('b', () => 2, { durability: 'end' });
    return a + b;
  };
  const outcome = await runtime.runToEnd(run);
  t.is(commits, 0);
  t.like(outcome, {
    kind: 'completed',
    output: 3,
    entries: [{ identity: 'a' }, { identity: 'b' }],
  });
});

test('steps that end together are recorded together', async (t) => {
  let commits = 0;
  const runtime = new MemoryRuntime({
    meet: (point) => void (commits += Number(point === 'before a commit')),
  });
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.map([1, 2, 3, 4], async (item) => ctx.step('double', () => item * 2)),
  );
  t.like(outcome, { kind: 'completed', output: [2, 4, 6, 8] });
  t.is(commits, 1);
});

test('values that the code has seen are recorded before the next step begins', async (t) => {
  const seen: unknown[] = [];
  const runtime = new MemoryRuntime();
  await runtime.runToEnd(async (ctx) => {
    ctx.now();
    ctx.onRollback('refund', () => undefined);
    await ctx.step(
      'charge',
      () => void seen.push(...runtime.entries.map(({ identity }) => identity)),
    );
  });
  t.deepEqual(seen, ['now', 'on-rollback refund']);
});

test('time, random numbers and ids are the same in each turn', async (t) => {
  const runtime = new MemoryRuntime();
  const seen: string[] = [];
  await runtime.runToEnd(async (ctx) => {
    const values = [ctx.now(), ctx.random(), ctx.uuid(), ctx.uuid()];
    seen.push(JSON.stringify(values));
    runtime.nowMs += 5000;
    await ctx.sleep('1h');
    await ctx.sleep('1h');
  });
  t.is(seen.length, 3);
  t.is(new Set(seen).size, 1);
  const [, , one, two] = JSON.parse(seen[0] ?? '[]') as [number, number, string, string];
  t.not(one, two);
  t.regex(one, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('the winner of a race is the same in each turn, in any order of the branches', async (t) => {
  const runtime = new MemoryRuntime();
  const winners: unknown[] = [];
  const outcome = await runtime.runToEnd(async (ctx) => {
    const winner = await ctx.race([
      async () => ctx.sleep('late', '7d').then(() => 'late'),
      async () => ctx.step('quick', () => 'quick'),
    ]);
    winners.push(winner);
    await ctx.sleep('pause', '1h');
    await ctx.sleep('pause', '1h');
    return winner;
  });
  t.like(outcome, { kind: 'completed', output: 'quick' });
  t.deepEqual(winners, ['quick', 'quick', 'quick']);
  t.false(runtime.entries.some(({ identity }) => identity.endsWith('late')));
});

test('branches count their names on their own', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.map(
      ['a', 'b', 'c'],
      async (item) => {
        const first = await ctx.step('charge', () => `${item}1`);
        return first + (await ctx.step('charge', () => `${item}2`));
      },
      { name: 'items', concurrency: 2 },
    ),
  );
  t.like(outcome, { kind: 'completed', output: ['a1a2', 'b1b2', 'c1c2'] });
  t.deepEqual(runtime.entries.map(({ identity }) => identity).toSorted(), [
    'items[0]/charge',
    'items[0]/charge#2',
    'items[1]/charge',
    'items[1]/charge#2',
    'items[2]/charge',
    'items[2]/charge#2',
  ]);
});

test('a step is retried within the turn, and over a timer when the pause is long', async (t) => {
  const runtime = new MemoryRuntime();
  const attempts: number[] = [];
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.step(
      'call',
      ({ attempt }) => {
        attempts.push(attempt);
        if (attempt < 6) throw new RangeError(`no ${attempt}`);
        return 'done';
      },
      { retry: { maxAttempts: 9, initialInterval: '1s', maxInterval: '1m' } },
    ),
  );
  t.like(outcome, { kind: 'completed', output: 'done' });
  t.deepEqual(attempts, [1, 2, 3, 4, 5, 6]);
  t.deepEqual(
    runtime.entries.map(({ identity }) => identity),
    ['call/retry[1]', 'call/back-off[1]', 'call/retry[2]', 'call/back-off[2]', 'call'],
  );
  t.is(runtime.entries.at(-1)?.attempts, 6);
});

test('RetryAfter sets the pause of a step, within the turn or over a timer', async (t) => {
  const runtime = new MemoryRuntime();
  const attempts: number[] = [];
  const waits = [0, 2000, '10m', new Date(0)];
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.step(
      'call',
      ({ attempt }) => {
        attempts.push(attempt);
        const wait = waits[attempt - 1];
        if (wait !== undefined) throw new RetryAfter(wait, { cause: new RangeError('busy') });
        return 'done';
      },
      { retry: { initialInterval: '1h' } },
    ),
  );
  t.like(outcome, { kind: 'completed', output: 'done' });
  t.deepEqual(attempts, [1, 2, 3, 4, 5]);
  const [marker, backOff, ...others] = runtime.entries;
  t.like(marker, { identity: 'call/retry[1]', output: { attempts: 3, delay_ms: 600_000 } });
  t.is(backOff?.identity, 'call/back-off[1]');
  t.deepEqual(
    others.map(({ identity }) => identity),
    ['call'],
  );
});

test('RetryAfter adds no attempt, and the last one fails with its cause', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.step('call', () => Promise.reject(new RetryAfter(1, { cause: new RangeError('busy') })), {
      retry: { maxAttempts: 2 },
    }),
  );
  t.like(outcome, { kind: 'failed', message: 'step call: busy', isFinal: true });
  t.like(runtime.entries.at(-1), { error: { message: 'busy', class: 'RangeError' }, attempts: 2 });
});

test('a step that fails for the last time throws the same error in each turn', async (t) => {
  const runtime = new MemoryRuntime();
  const seen: unknown[] = [];
  const outcome = await runtime.runToEnd(async (ctx) => {
    try {
      await ctx.step('charge', () => Promise.reject(new RangeError('too much')), {
        retry: { maxAttempts: 1 },
      });
    } catch (error) {
      seen.push(JSON.stringify(error), String(error));
    }
    await ctx.sleep('1h');
    return 'sold out';
  });
  t.like(outcome, { kind: 'completed', output: 'sold out' });
  t.is(seen.length, 4);
  t.is(new Set(seen).size, 2);
  t.regex(String(seen[1]), /StepError: too much/);
  t.like(runtime.entries[0], { error: { message: 'too much', class: 'RangeError' }, attempts: 1 });
});

test('a step that takes too long fails with the class TimeoutError', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.step(
      'slow',
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      {
        timeout: 5,
        retry: { maxAttempts: 1 },
      },
    ),
  );
  t.like(outcome, { kind: 'failed', errorClass: 'TimeoutError', isFinal: true });
});

test('rollbacks run in reverse order in a turn of their own, once each', async (t) => {
  const undone: string[] = [];
  let dies = true;
  const runtime = new MemoryRuntime({
    meet: (point) => {
      if (point === 'after a commit' && undone.length === 1 && dies) {
        dies = false;
        throw new Crash();
      }
    },
  });
  const run = async (ctx: FunctionContext) => {
    for (const name of ['flight', 'hotel', 'car']) {
      ctx.onRollback(`cancel ${name}`, () => void undone.push(name));
      await ctx.step(name, () => name);
    }
    await ctx.step('pay', () => Promise.reject(new Error('declined')), {
      retry: { maxAttempts: 1 },
    });
  };
  t.like(await runtime.runToEnd(run), {
    kind: 'failed',
    message: 'step pay: declined',
    isFinal: true,
  });
  t.is(await runtime.runOne(run, 'rollback'), null);
  t.like(await runtime.runOne(run, 'rollback'), { kind: 'rolled-back' });
  t.deepEqual(undone, ['car', 'hotel', 'flight']);
  t.deepEqual(
    runtime.entries.filter(({ kind }) => kind === 'rollback').map(({ identity }) => identity),
    [
      'rollback/on-rollback cancel car',
      'rollback/on-rollback cancel hotel',
      'rollback/on-rollback cancel flight',
    ],
  );
});

test('a rollback turn undoes nothing that the replay is the first to register', async (t) => {
  const ran: string[] = [];
  const runtime = new MemoryRuntime({
    meet: (point) => {
      if (point === 'after a commit' && ran.length === 1) throw new Crash();
    },
  });
  const run = async (ctx: FunctionContext) => {
    for (const name of ['flight', 'hotel']) {
      ctx.onRollback(`cancel ${name}`, () => void ran.push(`cancel ${name}`));
      await ctx.step(name, () => void ran.push(name));
    }
  };
  t.is(await runtime.runOne(run), null);
  t.deepEqual(
    runtime.entries.map(({ identity }) => identity),
    ['on-rollback cancel flight', 'flight'],
  );
  t.like(await runtime.runOne(run, 'rollback'), { kind: 'rolled-back' });
  t.deepEqual(ran, ['flight', 'cancel flight']);
});

test('a rollback turn starts no step that was not recorded', async (t) => {
  const ran: string[] = [];
  const runtime = new MemoryRuntime();
  const run = async (ctx: FunctionContext) => {
    ctx.onRollback('undo', () => void ran.push('undo'));
    await ctx.step('one', () => void ran.push('one'));
    await ctx.sleep('1h');
    await ctx.step('two', () => void ran.push('two'));
  };
  t.like(await runtime.runOne(run), { kind: 'suspended' });
  t.like(await runtime.runOne(run, 'rollback'), { kind: 'rolled-back' });
  t.deepEqual(ran, ['one', 'undo']);
});

test('the signal of a rollback does not abort with the turn, or with a lost race', async (t) => {
  const aborted: boolean[] = [];
  const runtime = new MemoryRuntime();
  const run = async (ctx: FunctionContext) => {
    const register = (name: string) =>
      ctx.onRollback(name, ({ signal }) => void aborted.push(signal.aborted));
    register('undo');
    await ctx.race([
      async () => ctx.step('quick', () => 1),
      async () => {
        register('undo the loser');
        await ctx.waitForEvent('never');
      },
    ]);
    throw new Error('refused');
  };
  t.like(await runtime.runToEnd(run), { kind: 'failed', message: 'refused' });
  t.like(await runtime.runOne(run, 'rollback'), { kind: 'rolled-back' });
  t.deepEqual(aborted, [false, false]);
});

test('ctx is refused within a step', async (t) => {
  const runtime = new MemoryRuntime();
  const outcome = await runtime.runToEnd(async (ctx) =>
    ctx.step('outer', () => ctx.step('inner', () => 1), { retry: { maxAttempts: 1 } }),
  );
  t.like(outcome, { kind: 'failed' });
  t.regex((outcome as { message: string }).message, /ctx is not for the code of a step/);
});

test('1 000 steps are replayed without running', async (t) => {
  const runtime = new MemoryRuntime();
  let ran = 0;
  const outcome = await runtime.runToEnd(async (ctx) => {
    let sum = 0;
    for (let index = 0; index < 1000; index += 1) sum += await ctx.step('add', () => (ran += 1));
    await ctx.sleep('1h');
    return sum;
  });
  t.like(outcome, { kind: 'completed', output: 500_500 });
  t.is(ran, 1000);
  t.is(runtime.turns, 2);
});
