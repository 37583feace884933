import { isRecord } from '../is-record.ts';
import type { Logger } from '../worker/logger.ts';
import { describeError, NonRetryableError, requireJson } from '../worker/errors.ts';
import { retryAfterOf } from '../worker/retry-after.ts';
import type { FunctionContext } from './context.ts';
import { createContext, type ItemFacts } from './create-context.ts';
import { quote } from './entry-log.ts';
import {
  ChildError,
  FunctionLimitError,
  NonDeterminismError,
  StepError,
  WaitTimeoutError,
} from './errors.ts';
import type { Entry, EntryUsage, Journal } from './journal.ts';
import type { Patience } from './patience.ts';
import { Compensations, runRollbacks } from './rollback.ts';
import { places, Scope } from './scope.ts';
import { Turn } from './turn.ts';
import type { TurnTools } from './turn-tools.ts';

/** The outcome of a turn, with the entries that the request to the runtime carries. */
export type TurnOutcome =
  | { readonly kind: 'completed'; readonly output: unknown; readonly entries: readonly Entry[] }
  | {
      readonly kind: 'failed';
      /** The value that the code threw. */
      readonly error: unknown;
      readonly message: string;
      readonly errorClass: string;
      /** Another attempt would come to the same. */
      readonly isFinal: boolean;
      /** Null: the retry policy of the node decides when another attempt follows. */
      readonly retryAfterMs: number | null;
      /** Model usage beside that of the entries. */
      readonly usage: EntryUsage | null;
      readonly entries: readonly Entry[];
    }
  /** Another visit of the node begins, with `input`. */
  | {
      readonly kind: 'continued';
      readonly input: Readonly<Record<string, unknown>>;
      readonly entries: readonly Entry[];
    }
  | { readonly kind: 'suspended' }
  /** Cancelled, or the worker stops: `reason` is the signal's. */
  | { readonly kind: 'stopped'; readonly reason: unknown; readonly entries: readonly Entry[] }
  /** Every registered rollback has run and is recorded. */
  | { readonly kind: 'rolled-back' };

export interface TurnInput {
  readonly run: (ctx: FunctionContext, input: never) => unknown;
  readonly input: unknown;
  readonly mode: 'run' | 'rollback';
  readonly journal: Journal;
  readonly facts: ItemFacts;
  readonly stopped: AbortSignal;
  readonly logger: Logger;
  readonly patience: Patience;
  readonly nowMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Unasked entries when the function returns or continues: an error, or a warning. */
  readonly strict: boolean;
}

/** Runs one turn of a function. Rejects with what the journal threw: then the turn has no outcome. */
export async function runTurn(given: TurnInput): Promise<TurnOutcome> {
  const { journal, patience, stopped, mode } = given;
  const turn = new Turn({ journal, patience, stopped, startsTasks: mode === 'run' });
  const tools: TurnTools = {
    turn,
    visitKey: given.facts.idempotencyKey,
    stopped,
    logger: given.logger,
    nowMs: given.nowMs,
    pause: given.pause,
  };
  const root = new Scope('', null);
  const compensations = new Compensations();
  const ctx = createContext(tools, { facts: given.facts, root, compensations });
  places.run({ scope: root, step: null }, () => begin(given, { ctx, turn }));
  const end = await turn.run();
  root.abandon();
  if (end.kind === 'stopped') return { ...end, entries: turn.log.unrecorded };
  if (mode === 'rollback') return rollBack(tools, { compensations, journal });
  switch (end.kind) {
    case 'returned':
      return complete(given, { turn, output: end.output });
    case 'continued':
      return unaskedFailure(given, turn) ?? { ...end, entries: turn.log.unrecorded };
    case 'threw':
      return fail(end.error, { turn, nowMs: given.nowMs() });
    case 'suspended':
      return end;
    case 'replayed':
      throw new Error('only a rollback ends with its replay');
  }
}

function begin(
  given: TurnInput,
  { ctx, turn }: { readonly ctx: FunctionContext; readonly turn: Turn },
): void {
  turn.follow((async () => given.run(ctx, given.input as never))());
}

function complete(
  given: TurnInput,
  { turn, output }: { readonly turn: Turn; readonly output: unknown },
): TurnOutcome {
  try {
    const entries = turn.log.unrecorded;
    return (
      unaskedFailure(given, turn) ?? { kind: 'completed', output: readOutput(output), entries }
    );
  } catch (error) {
    return fail(error, { turn, nowMs: given.nowMs() });
  }
}

function readOutput(output: unknown): Readonly<Record<string, unknown>> {
  const what = 'The output of the function';
  const copy = output === undefined ? {} : requireJson(output, { name: 'output', what });
  if (isRecord(copy)) return copy;
  throw new NonRetryableError('a function must return a JSON object, or nothing');
}

/** The failure of a turn whose code never asked for a recorded entry; null when nothing is wrong. */
function unaskedFailure(given: TurnInput, turn: Turn): TurnOutcome | null {
  const [unasked] = turn.log.neverAsked;
  if (unasked === undefined) return null;
  const error = new NonDeterminismError({ recorded: quote(unasked), asked: 'nothing more' });
  if (given.strict) return fail(error, { turn, nowMs: given.nowMs() });
  given.logger.warn({ recorded: error.recorded }, 'the code did not ask for a recorded entry');
  return null;
}

function fail(
  error: unknown,
  { turn, nowMs }: { readonly turn: Turn; readonly nowMs: number },
): TurnOutcome {
  const { message: own, errorClass } = describeError(error);
  const message = error instanceof StepError ? `step ${error.step}: ${own}` : own;
  const isFinal =
    error instanceof NonRetryableError || error instanceof FunctionLimitError || isRecorded(error);
  const retryAfterMs = retryAfterOf(error, nowMs);
  const entries = turn.log.unrecorded;
  const described = { error, message, errorClass, isFinal, retryAfterMs };
  return { kind: 'failed', ...described, usage: null, entries };
}

/** The journal has it: a replay throws it again. */
function isRecorded(error: unknown): boolean {
  return [StepError, WaitTimeoutError, ChildError].some((type) => error instanceof type);
}

async function rollBack(
  tools: TurnTools,
  given: { readonly compensations: Compensations; readonly journal: Journal },
): Promise<TurnOutcome> {
  const record = (ran: Pick<Entry, 'identity' | 'usage'>) =>
    given.journal.record([{ ...ran, kind: 'rollback', output: null }]);
  const failed = await runRollbacks(tools, given.compensations, record);
  if (tools.stopped.aborted) return { kind: 'stopped', reason: tools.stopped.reason, entries: [] };
  if (failed === null) return { kind: 'rolled-back' };
  const { error, usage } = failed;
  const { message, errorClass } = describeError(error);
  const isFinal = error instanceof NonRetryableError;
  const retryAfterMs = retryAfterOf(error, tools.nowMs());
  const described = { error, message, errorClass, isFinal, retryAfterMs };
  return { kind: 'failed', ...described, usage, entries: [] };
}
