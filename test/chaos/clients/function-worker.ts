import {
  createWorker,
  defineFunction,
  NonRetryableError,
  WaitTimeoutError,
  type FunctionContext,
  type StepContext,
} from '../../../sdk/typescript/src/worker/index.ts';

/*
 * A worker of durable functions in its own process, which faults strike. Each step and each
 * rollback has an outside effect under its key, and reports its position in the journal.
 */

interface Input {
  readonly token: string;
  readonly outside: string;
}

interface Run {
  readonly ctx: FunctionContext;
  readonly input: Input;
}

const EFFECT_MS_MAX = 5_000;
/** Every kill costs an attempt, and none may fail the function. */
const PATIENT = {
  retryPolicy: { max_attempts: 1000, backoff: 'fixed', initial_delay: '50ms', jitter: false },
} as const;
const STEP = { retry: { maxAttempts: 20, initialInterval: 100, maxInterval: 500 } } as const;

async function haveEffect({ ctx, input }: Run, identity: string, step: StepContext) {
  const response = await fetch(`${input.outside}/effects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': step.idempotencyKey },
    body: JSON.stringify({ token: input.token, visit: ctx.idempotencyKey, step: identity }),
    signal: AbortSignal.any([step.signal, AbortSignal.timeout(EFFECT_MS_MAX)]),
  });
  const { receipt } = (await response.json()) as { readonly receipt: string };
  return { receipt };
}

/** A step with a rollback. `branch` precedes its identity in the journal. */
async function change(run: Run, name: string, branch = ''): Promise<void> {
  run.ctx.onRollback(`undo ${name}`, (step) =>
    haveEffect(run, `rollback/${branch}on-rollback undo ${name}`, step),
  );
  await run.ctx.step(name, (step) => haveEffect(run, `${branch}${name}`, step), STEP);
}

async function nudgeOf({ ctx }: Run): Promise<string> {
  try {
    await ctx.waitForEvent('nudge', { key: 'nudge', timeout: '3s' });
    return 'nudged';
  } catch (error) {
    if (error instanceof WaitTimeoutError) return 'not nudged';
    throw error;
  }
}

/** False if no decision comes in time: another attempt would find the same time-out. */
async function mayGo({ ctx }: Run): Promise<boolean> {
  try {
    const may = await ctx.approval('may', { description: 'May it go?', timeout: '30s' });
    return may.approved;
  } catch (error) {
    if (error instanceof WaitTimeoutError) return false;
    throw error;
  }
}

const errand = defineFunction<Input, { done: boolean }>(
  'errand',
  async (ctx, input) => {
    await ctx.sleep('rest', '100ms');
    await change({ ctx, input }, 'errand');
    return { done: true };
  },
  PATIENT,
);

const journey = defineFunction<Input, { came: readonly string[] }>(
  'journey',
  async (ctx, input) => {
    const run: Run = { ctx, input };
    await change(run, 'order');
    const pack = async (): Promise<string> => {
      await ctx.sleep('rest', '200ms');
      await change(run, 'pack', 'both[0]/');
      return 'packed';
    };
    const came = await ctx.map([pack, () => nudgeOf(run)], (part) => part(), { name: 'both' });
    if (!(await mayGo(run))) throw new NonRetryableError('it may not go');
    await ctx.call(errand, input);
    await ctx.call('timers', { ...input });
    await change(run, 'ship');
    return { came };
  },
  PATIENT,
);

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const worker = createWorker({
  url: setting('SVC_URL'),
  token: setting('SVC_TOKEN'),
  workerId: `${setting('WORKER_ID')}-${process.pid}`,
  functions: [journey, errand],
  concurrency: Number(setting('WORKER_CONCURRENCY')),
});
process.once('SIGTERM', () => void worker.stop({ deadlineMs: 5_000 }));
await worker.run();
