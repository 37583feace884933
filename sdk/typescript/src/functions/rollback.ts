import { stackOf } from '../worker/errors.ts';
import type { StepContext } from './context.ts';
import { NonDeterminismError } from './errors.ts';
import type { Entry, EntryUsage } from './journal.ts';
import { UsageSum } from './model-usage.ts';
import { PAUSE_IN_TURN_MS_MAX } from './retry.ts';
import { attemptStep, delayAfter } from './run-step.ts';
import { Scope } from './scope.ts';
import type { TurnTools } from './turn-tools.ts';

export interface Compensation {
  /** Identity of the entry that registered it. */
  readonly identity: string;
  readonly run: (step: StepContext) => unknown;
}

/** The compensations that the code registered with `ctx.onRollback` in this turn. */
export class Compensations {
  readonly #all = new Map<string, Compensation>();

  register(compensation: Compensation): void {
    this.#all.set(compensation.identity, compensation);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  get(identity: string): Compensation | null {
    return this.#all.get(identity) ?? null;
  }
}

export interface FailedRollback {
  readonly error: unknown;
  /** The model usage of its attempts, which no entry records. */
  readonly usage: EntryUsage | null;
}

/** Attempts within a turn; then the item fails, and the node's policy decides about another one. */
const ATTEMPTS = 3;

/**
 * Runs what is recorded as registered and has not run, in reverse order of registration, and records
 * each. It leaves out rollbacks that the replay is the first to register, because nothing of them has
 * happened. Gives what a rollback threw: those registered before it have to wait for it. Rejects with what the journal
 * threw.
 */
export async function runRollbacks(
  tools: TurnTools,
  compensations: Compensations,
  record: (ran: Pick<Entry, 'identity' | 'usage'>) => Promise<unknown>,
): Promise<FailedRollback | null> {
  const registered = tools.turn.log.slots
    .filter(({ entry, isGiven }) => isGiven && entry.kind === 'on_rollback')
    .map(({ entry }) => entry.identity)
    .reverse();
  for (const identity of registered) {
    const own = `rollback/${identity}`;
    if (tools.turn.log.has(own)) continue;
    const compensation = compensations.get(identity);
    if (compensation === null) {
      const recorded = `on_rollback "${identity}"`;
      const error = new NonDeterminismError({ recorded, asked: 'no such rollback' });
      return { error, usage: null };
    }
    const sum = new UsageSum();
    try {
      await runOne(tools, { ...compensation, identity: own }, sum);
    } catch (error) {
      return { error, usage: sum.member.usage ?? null };
    }
    await record({ identity: own, ...sum.member });
  }
  return null;
}

async function runOne(
  tools: TurnTools,
  compensation: Compensation,
  usage: UsageSum,
): Promise<void> {
  const { stopped, logger } = tools;
  // The branch that registered it may have lost a race since.
  const scope = new Scope('', null);
  for (let attempt = 1; ; attempt += 1) {
    stopped.throwIfAborted();
    try {
      await attemptStep(tools, { ...compensation, scope, options: {} }, { attempt, usage });
      return;
    } catch (error) {
      stopped.throwIfAborted();
      const retry = { maxAttempts: ATTEMPTS };
      const delayMs = delayAfter(error, { attempt, retry, nowMs: tools.nowMs() });
      // The item fails, and comes back after a longer pause.
      if (delayMs === null || delayMs > PAUSE_IN_TURN_MS_MAX) throw error;
      const fields = { step: compensation.identity, error: String(error), ...stackOf(error) };
      logger.warn(fields, 'the rollback failed, and is retried');
      await tools.pause(delayMs, stopped);
    }
  }
}
