import type { JsonValue } from '../../../src/shared/domain/json.ts';
import type { Dump, EventOf } from '../dump.ts';
import { visitOf } from '../fold-history.ts';
import { deedsOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

/** The turns of a pinned function run in workers of its build. */
export function checkBuilds(last: Dump, history: History): Violation[] {
  const builds = new Map(
    deedsOf(history, 'claim').map(({ asks }) => [asks.workerId, asks.buildId ?? null]),
  );
  const pinned = [...byExecution(last).values()]
    .filter((story) => story.some(({ kind }) => kind === 'NodePinned'))
    .flatMap(actsOfPinned);
  return violations('a pinned function runs in a worker of its build', pinned, (act) => {
    const build = builds.get(act.workerId);
    if (build === undefined || act.builds.has(build)) return null;
    const { execution_id: execution, sequence } = act.event;
    const told = [...act.builds].map(String).join(' or ');
    return { about: { execution, sequence }, saw: `it ran in build ${build}, not in ${told}` };
  });
}

/** An event that a worker caused in a visit that has been pinned. */
interface Act {
  readonly event: EventOf;
  readonly workerId: string;
  /** The builds that the visit had since its turn began: a turn under way ends where it began. */
  readonly builds: ReadonlySet<JsonValue>;
}

function actsOfPinned(story: readonly EventOf[]): readonly Act[] {
  const visits = new Map<string, { now: JsonValue; sinceTurn: Set<JsonValue> }>();
  return story.flatMap((event): readonly Act[] => {
    const { kind, actor_id: actor } = event;
    const name = visitOf(event);
    const visit = visits.get(name);
    if (kind === 'NodePinned') {
      const now = event.payload['build_id'] ?? null;
      visits.set(name, { now, sinceTurn: new Set([...(visit?.sinceTurn ?? []), now]) });
      return [];
    }
    if (visit === undefined) return [];
    if (BEGINS_TURN.has(kind)) visit.sinceTurn = new Set([visit.now]);
    if (!actor.startsWith(WORKER) || event.payload['carried'] === true) return [];
    const workerId = actor.slice(WORKER.length);
    return [{ event, workerId, builds: new Set(visit.sinceTurn) }];
  });
}

const WORKER = 'worker:';
const BEGINS_TURN = new Set(['NodeResumed', 'RetryScheduled', 'RollbackScheduled']);
