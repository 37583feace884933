import { setImmediate } from 'node:timers/promises';

import { checkSchema } from '../functions/check-schema.ts';
import type { ServedFunction } from '../functions/define-function.ts';
import type { Entry } from '../functions/journal.ts';
import { runTurn, type TurnOutcome } from '../functions/run-turn.ts';
import { LeaseLostError, stackOf } from './errors.ts';
import { JournalRefusedError, openJournal, type HttpJournal } from './http-journal.ts';
import type { Lease } from './keep-lease.ts';
import type { Logger } from './logger.ts';
import { pause } from './pause.ts';
import type { WorkerClock } from './worker-options.ts';
import {
  completeItem,
  continueItem,
  failItem,
  releaseItem,
  tellRefusal,
  type Ending,
  type Held,
} from './settle-item.ts';

/** Code that asked for nothing new in that time does not come to ask for it. */
const LOST_MS = 1000;
const RIDING_MAX = 100;

interface Given {
  readonly held: Held;
  readonly lease: Lease;
  readonly logger: Logger;
  readonly clock: WorkerClock;
}

/** Runs a turn of a function and hands in what it came to. */
export async function runFunction(served: ServedFunction, given: Given): Promise<Ending> {
  const { held } = given;
  const startedAt = performance.now();
  try {
    const journal = await openJournal(held);
    const outcome = await turn(served, { ...given, journal });
    const durationMs = Math.round(performance.now() - startedAt);
    return await handIn(outcome, { ...given, journal, durationMs });
  } catch (error) {
    if (error instanceof LeaseLostError) return 'abandoned';
    if (!(error instanceof JournalRefusedError)) throw error;
    const { message, name: errorClass, isFinal } = error;
    const failure = { message, errorClass, final: isFinal };
    tellRefusal(held, failure);
    return failItem(held, failure);
  }
}

function turn(
  served: ServedFunction,
  { held, lease, logger, journal, clock }: Given & { readonly journal: HttpJournal },
): Promise<TurnOutcome> {
  const { item } = held;
  const { options } = served;
  return runTurn({
    run: async (ctx, input) => {
      const read = await checkSchema(options.input, { value: input, what: 'input' });
      const output = await served.run(ctx, read as never);
      return checkSchema(options.output, { value: output, what: 'output' });
    },
    input: item.payload.input,
    mode: item.mode ?? 'run',
    journal,
    facts: {
      executionId: item.execution_id,
      nodeId: item.node_id,
      turn: item.turn ?? 0,
      attempt: item.attempt,
      idempotencyKey: item.idempotency_key ?? item.id,
      traceparent: item.traceparent ?? null,
    },
    stopped: lease.stopped,
    logger,
    patience: {
      drained: () => setImmediate(),
      lost: (signal) => pause(LOST_MS, signal),
    },
    nowMs: () => clock.nowMs(),
    pause: (ms, signal) => clock.pause(ms, signal),
    strict: options.determinism !== 'warn',
  });
}

async function handIn(
  outcome: TurnOutcome,
  given: Given & { readonly journal: HttpJournal; readonly durationMs: number },
): Promise<Ending> {
  const { held, journal, durationMs } = given;
  switch (outcome.kind) {
    case 'completed': {
      const { output, entries } = outcome;
      return completeItem(held, { output, durationMs, riding: await ride(journal, entries) });
    }
    case 'failed': {
      const { message, errorClass, isFinal, retryAfterMs, usage } = outcome;
      const fields = { error: message, error_class: errorClass, ...stackOf(outcome.error) };
      given.logger.warn(fields, 'the function failed');
      const riding = await ride(journal, outcome.entries);
      const failure = { message, errorClass, final: isFinal, retryAfterMs, usage };
      return failItem(held, failure, riding);
    }
    case 'continued': {
      const { input, entries } = outcome;
      return continueItem(held, { input, riding: await ride(journal, entries) });
    }
    case 'suspended':
      return 'suspended';
    case 'rolled-back':
      return completeItem(held, { output: {}, durationMs, riding: journal.riding([]) });
    case 'stopped':
      await recordBut(0, { journal, entries: outcome.entries });
      return releaseItem(held);
  }
}

/** One request takes 100 entries; the rest goes before it. */
async function ride(
  journal: HttpJournal,
  entries: readonly Entry[],
): Promise<ReturnType<HttpJournal['riding']>> {
  return journal.riding(await recordBut(RIDING_MAX, { journal, entries }));
}

/** Records entries until at most `left` are left, and gives those. */
async function recordBut(
  left: number,
  { journal, entries }: { readonly journal: HttpJournal; readonly entries: readonly Entry[] },
): Promise<readonly Entry[]> {
  let rest = entries;
  while (rest.length > left) {
    await journal.record(rest.slice(0, RIDING_MAX));
    rest = rest.slice(RIDING_MAX);
  }
  return rest;
}
