import type { Explanation } from '../head/types.ts';
import type { Visit } from '../timeline/stretches.ts';

type Activity = Visit['stretches'][number]['activity'];

/** Where the work of live visits is now. A claim leaves no event, so the history does not say. */
export interface WorkPlaces {
  /** The visit as the history tells it, with what is known of its last stretch now. */
  readonly correct: (visit: Visit) => Visit;
  /** What a node does whose work is under way; null: the explanation does not say. */
  readonly ofNode: (nodeId: string) => Activity | null;
}

interface Place {
  readonly activity: Activity;
  readonly since: string | null;
  readonly attempt: number | undefined;
}

const ACTIVITY_OF: Readonly<Record<string, Activity>> = {
  waiting_in_queue: 'queued',
  no_worker_for_queue: 'queued',
  no_worker_for_tool: 'queued',
  no_worker_for_build: 'queued',
  workflow_paused: 'waiting',
  paused_by_operator: 'waiting',
  dead_lettered: 'waiting',
  lease_held_until: 'working',
  map_items_under_way: 'working',
};

export function readWorkPlaces({ blockers, blockers_total: total }: Explanation): WorkPlaces {
  const byVisit = new Map<string, Place>();
  const byNode = new Map<string, Set<Activity>>();
  for (const { code, node_id: node, visit, since, attempt } of blockers) {
    const activity = ACTIVITY_OF[code];
    if (activity === undefined || node === null || visit === null) continue;
    byVisit.set(`${node} ${visit}`, { activity, since, attempt });
    byNode.set(node, (byNode.get(node) ?? new Set()).add(activity));
  }
  return {
    correct: (visit) => correctVisit(visit, byVisit.get(`${visit.node_id} ${visit.visit}`)),
    ofNode(nodeId) {
      const found = byNode.get(nodeId);
      if (found?.has('working')) return 'working';
      // Blockers are cut off at the end, where those of leased work stand.
      if (found === undefined || total > blockers.length) return null;
      return found.has('queued') ? 'queued' : 'waiting';
    },
  };
}

function correctVisit(visit: Visit, place: Place | undefined): Visit {
  const last = visit.stretches.at(-1);
  const isUnderWay = visit.end === null && last?.activity === 'working';
  // The two readings may be of different moments: one may know of an attempt that the other misses.
  if (!isUnderWay || place === undefined || (place.attempt ?? last.attempt) !== last.attempt) {
    return visit;
  }
  const before = visit.stretches.slice(0, -1);
  // The report of a call has told the history already when its work began.
  if (before.at(-1)?.sequence === last.sequence) return visit;
  const { activity, since } = place;
  if (activity !== 'working') return { ...visit, stretches: [...before, { ...last, activity }] };
  if (since === null || Date.parse(since) <= Date.parse(last.at)) return visit;
  const split = [
    { ...last, activity: 'queued' as const },
    { ...last, at: since },
  ];
  return { ...visit, stretches: [...before, ...split] };
}
