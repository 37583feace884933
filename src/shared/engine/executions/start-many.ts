import type { ExecutionId } from '../../domain/ids.ts';
import type { DefinitionCache } from '../advance/definition-cache.ts';
import type { Caller } from '../caller.ts';
import { letOthersRun } from '../scheduling/in-pieces.ts';
import type { Timers } from '../scheduling/timers.ts';
import type { UseCaseDeps } from '../use-case-deps.ts';
import { startExecution, type StartExecution } from './start-execution.ts';

/*
 * The starts of one request begin together, so that the committer writes them in a few transactions.
 * The store judges each on its own: a refused start stops none of the others, and of several with one
 * Idempotency-Key one starts. A start whose outcome is unknown, because the store went away, may be
 * repeated under its key.
 */

export interface StartMany {
  /** Each reads its entry when its turn comes; what it throws is the verdict on that entry. */
  readonly starts: readonly (() => StartExecution)[];
}

/** The outcome of one start: `error` is what `startExecution` would have thrown. */
export type StartVerdict = { readonly executionId: ExecutionId } | { readonly error: unknown };

/**
 * Starts that begin without a turn of the event loop between them, so that the process serves other
 * requests meanwhile. On SQLite, which commits at once, each slice is a transaction.
 */
const SLICE = 200;

/** The verdicts are in the order of the starts. */
export async function startMany(
  deps: UseCaseDeps,
  caller: Caller,
  { starts }: StartMany,
): Promise<readonly StartVerdict[]> {
  const definitions = rememberLatest(deps.definitions);
  const { tenantId } = caller;
  // Every definition is read before the first start begins, so that no slice waits and joins the next.
  const read = await inSlices(deps.timers, starts, async (readStart) => {
    const start = readStart();
    const { workflowId, workflowVersion: version } = start;
    await definitions.latest({ tenantId, workflowId, version });
    return start;
  });
  const verdicts = await inSlices(deps.timers, read, async (start) => {
    if ('error' in start) throw start.error;
    return startExecution({ ...deps, definitions }, caller, start.value);
  });
  return verdicts.map((verdict) => ('error' in verdict ? verdict : verdict.value));
}

type Settled<Value> = { readonly value: Value } | { readonly error: unknown };

/** Begins the work on all items, and lets the event loop have a turn after every slice of them. */
async function inSlices<Item, Value>(
  timers: Timers,
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<readonly Settled<Value>[]> {
  const begun: Promise<Settled<Value>>[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE === 0) {
      await letOthersRun(timers);
    }
    begun.push(settle(work, item));
  }
  return Promise.all(begun);
}

async function settle<Item, Value>(
  work: (item: Item) => Promise<Value>,
  item: Item,
): Promise<Settled<Value>> {
  try {
    return { value: await work(item) };
  } catch (error) {
    return { error };
  }
}

/** Looks each workflow up once, however many executions of it start. */
function rememberLatest(definitions: DefinitionCache): DefinitionCache {
  const found = new Map<string, ReturnType<DefinitionCache['latest']>>();
  return {
    ...definitions,
    latest: (of) => {
      const name = JSON.stringify([of.workflowId, of.version]);
      const known = found.get(name) ?? definitions.latest(of);
      found.set(name, known);
      return known;
    },
  };
}
