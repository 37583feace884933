import type { ExecutionId } from '../../domain/ids.ts';
import { type DueTimer, StoreUnavailableError } from '../../store/store.ts';
import { MovesTooFastError } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { fireTimer } from './fire-timer.ts';
import type { RoundResult } from './round-result.ts';
import { endChild, tellAsked, tellParent, type UntoldEnd } from '../advance/tell-family.ts';
import { queueTopic } from '../wake/wake-for.ts';

/**
 * Fires the timers that are due and puts the retries that are due on their queues. A timer fires
 * once however many processes try: its row is removed by the commit that records TimerFired, or
 * the end of a child or a parent (see `family.ts`).
 */
export async function fireTimers(
  deps: EngineDeps,
  params: { readonly limit: number },
): Promise<RoundResult> {
  const [due, retries] = await Promise.all([
    deps.store.timers.listDue(params),
    deps.store.timers.promoteRetries(params),
  ]);
  if (retries.length > 0) deps.wake.notify([...new Set(retries.map(queueTopic))]);
  const byPurpose = Map.groupBy(due, ({ purpose }) =>
    purpose === 'child_ended' || purpose === 'parent_ended' ? purpose : 'own',
  );
  // In this order, one that is due to begin and overdue does not begin to wait after its deadline.
  const [deadlines, others] = partitionDeadlines(byPurpose.get('own') ?? []);
  const ended = Map.groupBy(byPurpose.get('child_ended') ?? [], ({ executionId }) => executionId);
  const untold: UntoldEnd[] = [];
  const askChild = async (timer: DueTimer): Promise<void> => {
    const end = await endChild(deps, timer);
    if (end !== null) untold.push(end);
  };
  const told = await Promise.all([
    ...others.map((timer) => apart(deps, timer.executionId, fireTimer(deps, timer))),
    ...ended.entries().map(([id, timers]) => apart(deps, id, tellParent(deps, timers))),
    ...(byPurpose.get('parent_ended') ?? []).map((timer) =>
      apart(deps, timer.executionId, askChild(timer)),
    ),
  ]);
  const unheard = await tellEach(deps, untold);
  await Promise.all(
    deadlines.map((timer) => apart(deps, timer.executionId, fireTimer(deps, timer))),
  );
  return {
    found: deadlines.length + told.filter((isTold) => isTold).length - unheard + retries.length,
    more: due.length >= params.limit || retries.length >= params.limit,
  };
}

function partitionDeadlines(
  timers: readonly DueTimer[],
): readonly [readonly DueTimer[], readonly DueTimer[]] {
  const { true: deadlines = [], false: others = [] } = Object.groupBy(timers, ({ purpose }) =>
    purpose === 'start_deadline' ? 'true' : 'false',
  );
  return [deadlines, others];
}

/** Returns how many of the ends were not told, because of an error. */
async function tellEach(deps: EngineDeps, untold: readonly UntoldEnd[]): Promise<number> {
  const byParent = Map.groupBy(untold, ({ parentId }) => parentId);
  const unheard = await Promise.all(
    byParent
      .entries()
      .map(async ([id, ends]) =>
        (await apart(deps, id, tellAsked(deps, ends))) ? 0 : ends.length,
      ),
  );
  return unheard.reduce((sum, count) => sum + count, 0);
}

/**
 * An error in one execution or family does not affect the others, nor does one that moves too fast: its
 * timers stay for the next look. False: it is unchanged.
 */
async function apart(
  deps: EngineDeps,
  executionId: ExecutionId,
  telling: Promise<void>,
): Promise<boolean> {
  try {
    await telling;
    return true;
  } catch (error) {
    const isOfStore = error instanceof StoreUnavailableError;
    if (isOfStore && !(error instanceof MovesTooFastError)) throw error;
    const ids = { execution_id: executionId };
    deps.report.trouble('answering a timer failed', error, ids);
    return false;
  }
}
