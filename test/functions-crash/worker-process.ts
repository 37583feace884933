import { createHash, randomUUID } from 'node:crypto';

import {
  ChildError,
  createWorker,
  defineFunction,
  NonRetryableError,
  StepError,
  WaitTimeoutError,
  type FunctionContext,
  type StepContext,
} from '../../sdk/typescript/src/worker/index.ts';
import type { EffectCall, EffectReply, Result } from './effect.ts';
import {
  TIMEOUT_MS,
  tagOfChild,
  tagOfNext,
  type Input,
  type Operation,
  type Program,
  type Step,
} from './program.ts';

/*
 * A worker in its own process, which is killed. Its function performs the program in its input, and
 * sends all effects to the receiver of the harness.
 */

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

interface Run {
  readonly ctx: FunctionContext;
  readonly tag: string;
}

async function send(
  run: Run,
  call: Omit<EffectCall, 'tag' | 'executionId' | 'worker'>,
  step: StepContext,
) {
  const body: EffectCall = {
    ...call,
    tag: run.tag,
    executionId: run.ctx.executionId,
    worker: setting('WORKER_NAME'),
  };
  const response = await fetch(`${setting('RECEIVER_URL')}/${call.phase}/${call.id}`, {
    method: 'POST',
    headers: { 'idempotency-key': step.idempotencyKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: step.signal,
  });
  const text = await response.text();
  if (response.status === 422) throw new NonRetryableError('refused');
  if (response.status !== 200) throw new Error(`the receiver answered ${response.status}`);
  const { answer } = JSON.parse(text) as EffectReply;
  // Each run of the step makes another nonce, and only the recorded one may appear.
  return { answer, nonce: randomUUID() };
}

/** A hash of what the function has seen before an operation. Each replay must give the same one. */
function digest(seen: readonly Result[]): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 16);
}

async function runProgram(
  run: Run,
  program: Program,
  before: readonly Result[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (const operation of program) {
    results.push(await runOperation(run, operation, [...before, ...results]));
  }
  return results;
}

async function runOperation(
  run: Run,
  operation: Operation,
  seen: readonly Result[],
): Promise<Result> {
  const { ctx } = run;
  const { id } = operation;
  switch (operation.op) {
    case 'step':
      return runStep(run, operation, seen);
    case 'refused':
      return unless(StepError, async () => refuse(run, id, seen));
    case 'sleep':
      return ctx.sleep(id, operation.ms).then(() => 'slept');
    case 'event':
      return unless(WaitTimeoutError, async () =>
        ctx.waitForEvent<string>(id, operation.comes ? {} : { timeout: TIMEOUT_MS }),
      );
    case 'approval':
      return unless(WaitTimeoutError, async () => {
        const waits = operation.decision === null ? { timeout: TIMEOUT_MS } : {};
        const { approved, comment } = await ctx.approval(id, { context: { id }, ...waits });
        return `${approved ? 'approved' : 'rejected'} ${comment}`;
      });
    case 'child':
      return unless(ChildError, async () => {
        const input: Input = { tag: tagOfChild(run.tag, id), program: operation.program };
        const { results } = await ctx.call(crash, input, { name: id });
        return results;
      });
    case 'all':
      return ctx.map(operation.branches, (branch) => runProgram(run, branch, seen), { name: id });
    case 'race':
      return ctx.race([
        async () => ctx.waitForEvent<string>(`${id}-never`),
        async () => ctx.sleep(id, operation.ms).then(() => 'slept'),
      ]);
    case 'fail':
      if (operation.how === 'step') return refuse(run, id, seen);
      throw new NonRetryableError(`fails at ${id}`);
    case 'continue':
      return ctx.continueAsNew({ tag: tagOfNext(run.tag), program: operation.program });
  }
}

async function runStep(run: Run, operation: Step, seen: readonly Result[]): Promise<Result> {
  const { ctx } = run;
  const { id, undo, durability, failures, undoFailures, isPatient } = operation;
  if (undo) {
    ctx.onRollback(`undo ${id}`, async (step) => {
      await send(run, { id, phase: 'undo', failures: undoFailures, seen: '' }, step);
    });
  }
  const values = { nowMs: ctx.now(), chance: ctx.random(), uuid: ctx.uuid() };
  // With durability `end`, earlier values may not be recorded yet, so a replay may see others.
  const given = durability === 'each' ? digest([...seen, values]) : '';
  return ctx.step(id, (step) => send(run, { id, phase: 'do', failures, seen: given }, step), {
    durability,
    retry: {
      maxAttempts: 20,
      initialInterval: isPatient ? 5_100 : 20,
      maxInterval: isPatient ? 5_100 : 100,
    },
  });
}

function refuse(run: Run, id: string, seen: readonly Result[]): Promise<Result> {
  return run.ctx.step(id, (step) =>
    send(run, { id, phase: 'refuse', failures: 0, seen: digest(seen) }, step),
  );
}

/** Returns the name of an error of this class instead of the result. */
async function unless(
  expected: new (...args: never[]) => Error,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof expected) return error.name;
    throw error;
  }
}

const crash = defineFunction<Input, { results: Result[] }>(
  'crash',
  async (ctx, { tag, program }) => ({ results: await runProgram({ ctx, tag }, program, []) }),
  {
    // Each kill costs an attempt, and nothing else does.
    retryPolicy: { max_attempts: 1000, backoff: 'fixed', initial_delay: '50ms', jitter: false },
  },
);

const worker = createWorker({
  url: setting('RUNTIME_URL'),
  token: setting('RUNTIME_TOKEN'),
  workerId: `${setting('WORKER_NAME')}-${process.pid}`,
  functions: [crash],
  concurrency: Number(setting('WORKER_CONCURRENCY')),
});
process.once('SIGTERM', () => void worker.stop());
await worker.run();
