import type { FunctionContext } from './context.ts';
import { createContext, type ItemFacts } from './create-context.ts';
import { quote } from './entry-log.ts';
import { NonDeterminismError } from './errors.ts';
import type { Entry, Journal } from './journal.ts';
import { Compensations } from './rollback.ts';
import { silentLogger } from '../worker/logger.ts';
import { places, Scope } from './scope.ts';
import { Turn } from './turn.ts';

/**
 * Runs the code of a function over recorded entries, as far as they go, and starts nothing new.
 *
 * @throws NonDeterminismError when the code asks for something else, or returns before it has asked for
 * all of them
 */
export async function replayTurn(given: {
  readonly run: (ctx: FunctionContext) => Promise<unknown>;
  readonly entries: readonly Entry[];
  readonly facts: ItemFacts;
  /** Entries that the code never asks for are an error. */
  readonly strict: boolean;
}): Promise<void> {
  const stopped = new AbortController();
  const turn = new Turn({
    journal: readOnly(given.entries),
    patience: { drained: turnOfLoop, lost: turnOfLoop },
    stopped: stopped.signal,
    startsTasks: false,
  });
  const tools = {
    turn,
    visitKey: given.facts.idempotencyKey,
    stopped: stopped.signal,
    logger: silentLogger,
    nowMs: () => 0,
    pause: () => Promise.resolve(),
  };
  const root = new Scope('', null);
  const ctx = createContext(tools, {
    facts: given.facts,
    root,
    compensations: new Compensations(),
  });
  places.run({ scope: root, step: null }, () => turn.follow(given.run(ctx)));
  const end = await turn.run();
  root.abandon();
  if (end.kind === 'threw' && end.error instanceof NonDeterminismError) throw end.error;
  const [unasked] = turn.log.neverAsked;
  const isOver = end.kind === 'returned' || end.kind === 'threw' || end.kind === 'continued';
  if (!isOver || unasked === undefined || !given.strict) return;
  throw new NonDeterminismError({ recorded: quote(unasked), asked: 'nothing more' });
}

/** Values that the code asks for behind the last entry go nowhere. */
function readOnly(entries: readonly Entry[]): Journal {
  return { entries, record: () => Promise.resolve(null), suspend: () => Promise.resolve(null) };
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
