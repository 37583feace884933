import { linkAbort } from '../link-abort.ts';
import { describeError, NonRetryableError, requireJson, stackOf } from '../worker/errors.ts';
import { retryAfterOf } from '../worker/retry-after.ts';
import { pause } from '../worker/pause.ts';
import type { StepContext, StepOptions } from './context.ts';
import { deriveKey } from './derive.ts';
import { readDuration } from '../duration.ts';
import type { Entry } from './journal.ts';
import { UsageSum } from './model-usage.ts';
import { PAUSE_IN_TURN_MS_MAX, pauseAfter, type StepRetry } from './retry.ts';
import { places, type Scope } from './scope.ts';
import type { TurnTools } from './turn-tools.ts';

/*
 * A step runs when nothing is recorded under its identity. It retries within the turn while the pauses
 * are short. A longer pause is recorded as `NAME/retry[1]`, a value with the attempts so far, and waited
 * for as the timer `NAME/back-off[1]`, so that a later turn neither forgets the attempts nor the pause.
 * That value carries the model usage of its attempts, and the entry of the step that of the later ones.
 */

export interface StepCall {
  readonly identity: string;
  readonly scope: Scope;
  readonly run: (step: StepContext) => unknown;
  readonly options: StepOptions;
}

/** Runs a step as often as it takes. Resolves when its result is recorded, or when another turn must continue. */
export async function runStep(tools: TurnTools, call: StepCall): Promise<void> {
  const { turn } = tools;
  const { identity, scope } = call;
  let attempts = 0;
  for (let round = 1; ; round += 1) {
    const marker = turn.find(`${identity}/retry[${round}]`, 'value');
    if (marker === null && turn.log.has(identity)) return;
    const usage = new UsageSum();
    const from = { attemptsBefore: attempts, usage };
    const pending =
      readPending(marker) ?? (await turn.work(scope, () => tryStep(tools, call, from)));
    if (pending === null) return;
    if (marker === null) {
      const own = `${identity}/retry[${round}]`;
      turn.note({ identity: own, kind: 'value', output: pending, ...usage.member });
    }
    attempts = pending.attempts;
    const timer = `${identity}/back-off[${round}]`;
    await turn.ask({
      identity: timer,
      kind: 'timer',
      scope,
      wait: () => ({ identity: timer, kind: 'timer', delay_ms: pending.delay_ms }),
    });
  }
}

interface Pending {
  readonly attempts: number;
  readonly delay_ms: number;
}

function readPending(marker: Entry | null): Pending | null {
  return marker === null ? null : (marker.output as Pending);
}

/** Null when the step has ended, or nobody wants its result; else the pause before the next attempt. */
async function tryStep(
  tools: TurnTools,
  call: StepCall,
  { attemptsBefore, usage }: { readonly attemptsBefore: number; readonly usage: UsageSum },
): Promise<Pending | null> {
  const { turn, stopped, logger } = tools;
  const { identity, scope, options } = call;
  const isEager = options.durability === 'end';
  if (!isEager && !(await turn.recordSeen())) return null;
  if (!turn.mayStart(identity)) return null;
  const startedAt = tools.nowMs();
  const finish = (result: Pick<Entry, 'output' | 'error'>, attempts: number) => {
    const entry: Entry = {
      identity,
      kind: 'step',
      ...result,
      attempts,
      started_at: new Date(startedAt).toISOString(),
      duration_ms: Math.max(0, Math.round(tools.nowMs() - startedAt)),
      ...usage.member,
    };
    if (isEager) turn.note(entry);
    else turn.record(entry);
    return null;
  };
  for (let attempt = attemptsBefore + 1; ; attempt += 1) {
    try {
      const output = await attemptStep(tools, call, { attempt, usage });
      return finish({ output: readOutput(identity, output) }, attempt);
    } catch (error) {
      // Aborted, it says nothing about the step: another turn runs it again, under the same key.
      if (stopped.aborted || scope.isAbandoned) return null;
      const { message, errorClass } = describeError(error);
      const delayMs = delayAfter(error, { attempt, retry: options.retry, nowMs: tools.nowMs() });
      const fields = {
        step: identity,
        step_attempt: attempt,
        error: message,
        ...stackOf(error),
      };
      logger.warn(fields, delayMs === null ? 'the step failed' : 'the step failed, and is retried');
      if (delayMs === null) return finish({ error: { message, class: errorClass } }, attempt);
      if (delayMs > PAUSE_IN_TURN_MS_MAX) return { attempts: attempt, delay_ms: delayMs };
      await tools.pause(delayMs, stopped);
      if (stopped.aborted) return null;
    }
  }
}

/** The pause before the next attempt in ms; null: no attempt follows. */
export function delayAfter(
  error: unknown,
  of: { readonly attempt: number; readonly retry?: StepRetry | undefined; readonly nowMs: number },
): number | null {
  if (error instanceof NonRetryableError) return null;
  const backOffMs = pauseAfter(of.attempt, of.retry ?? {});
  return backOffMs === null ? null : (retryAfterOf(error, of.nowMs) ?? backOffMs);
}

/** Calls the code of a step once, within its time. */
export async function attemptStep(
  tools: TurnTools,
  call: StepCall,
  { attempt, usage }: { readonly attempt: number; readonly usage: UsageSum },
): Promise<unknown> {
  const { identity, scope, options } = call;
  const late = new AbortController();
  const link = linkAbort([tools.stopped, scope.signal, late.signal]);
  const over = options.timeout === undefined ? null : new AbortController();
  const step: StepContext = {
    idempotencyKey: deriveKey(tools.visitKey, identity),
    signal: link.signal,
    attempt,
    reportUsage: usage.add,
  };
  try {
    const running = places.run({ scope, step: identity }, async () => call.run(step));
    if (options.timeout === undefined || over === null) return await running;
    const timeoutMs = readDuration(options.timeout);
    const timeout = pause(timeoutMs, over.signal).then(() => {
      if (over.signal.aborted) return null;
      const error = new Error(`the step took longer than ${timeoutMs} ms`);
      error.name = 'TimeoutError';
      late.abort(error);
      throw error;
    });
    return await Promise.race([running, timeout]);
  } finally {
    over?.abort();
    link.unlink();
  }
}

/** What a replay will read. @throws SerializationError */
function readOutput(identity: string, output: unknown): unknown {
  return requireJson(output ?? null, { name: 'output', what: `The output of step "${identity}"` });
}
