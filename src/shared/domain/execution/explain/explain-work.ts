import type { WorkerQueue } from '../../work/work-item.ts';
import { MISFIT_CLASS } from '../function-run.ts';
import { type LiveVisit, visitKey } from '../state.ts';
import { readQueueName } from '../../work/build-queue.ts';
import { textOfKey } from '../../work/fair-queue.ts';
import type { Quota } from '../../work/quota.ts';
import { admitsItem, DEFAULT_QUEUE, queueNamesOf } from '../../work/claim-filter.ts';
import type { Blocker, BlockerCode } from './blocker.ts';
import { type ItemPlace, NOBODY, SERVING_MAX, type ServingWorker } from './facts.ts';
import { blockerOf, isAboutToBeDone, isPast, type Scene, tellAge } from './scene.ts';

/** Explains where the work item of a visit is, and why it waits there. */
export function explainWork(scene: Scene, visit: LiveVisit): Blocker {
  const { workItemId } = visit;
  const place = workItemId === null ? undefined : scene.facts.items.get(workItemId);
  const details = { ...(workItemId !== null && { workItemId }), attempt: visit.attempt };
  if (place === undefined) {
    return blockerOf(visit, {
      code: 'work_missing',
      message: `the work item of node ${visit.nodeId} has no queue, no lease and no retry timer`,
      since: scene.history.scheduledAt.get(visitKey(visit.nodeId, visit.visit)) ?? null,
      unblockedBy: 'a cancel: nothing can settle the node any more; start the workflow again',
      details,
    });
  }
  const known = { ...details, queue: place.queue, attempt: place.attempt };
  switch (place.is) {
    case 'queued':
      return explainQueued(scene, { visit, place, known });
    case 'leased':
      return explainLeased(scene, { visit, place, known });
    case 'retrying':
      return explainRetry(scene, { visit, place, known });
    case 'held':
      return explainHeld(scene, visit, known);
    case 'dead_lettered':
      return blockerOf(visit, {
        code: 'dead_lettered',
        message: `the work item of node ${visit.nodeId} is a dead letter: ${place.error}`,
        since: place.deadLetteredAt,
        unblockedBy: 'POST /work-items/{id}/requeue, which puts it back on its queue, or a cancel',
        details: { ...known, error: place.error },
      });
  }
}

type Place<Is extends ItemPlace['is']> = Extract<ItemPlace, { readonly is: Is }>;
type Details = Blocker['details'];

interface WorkAt<Is extends ItemPlace['is']> {
  readonly visit: LiveVisit;
  readonly place: Place<Is>;
  readonly known: Details;
}

function explainQueued(scene: Scene, { visit, place, known }: WorkAt<'queued'>): Blocker {
  const { queue, enqueuedAt, startBefore, position } = place;
  const waits = `the work item of node ${visit.nodeId} has waited in queue ${queue} for ${tellAge(scene, enqueuedAt)}`;
  const common = { since: enqueuedAt, until: startBefore, details: known };
  if (startBefore !== null && isPast(scene, startBefore)) {
    return blockerOf(visit, {
      ...common,
      code: 'waiting_in_queue',
      message: `${waits}, longer than allowed: its node is about to fail`,
      overdue: true,
      moving: isAboutToBeDone(scene, startBefore),
      unblockedBy: 'a scheduler, which fails the node',
    });
  }
  const { quota, share } = place;
  if (quota !== undefined) {
    const { tool } = quota;
    const number = position === null ? '' : ` as number ${position}`;
    return blockerOf(visit, {
      ...common,
      code: 'waiting_for_quota',
      message: `the work item of node ${visit.nodeId} has waited for ${tellAge(scene, enqueuedAt)}${number} for a place: at most ${tellLimits(quota)}`,
      unblockedBy: `${quota.limit === null ? 'the time of its token' : `the end of another call of ${tool}`}, or a version of the workflow with a higher limit`,
      details: { ...known, tool, ...(position !== null && { position }) },
    });
  }
  if (queue === 'engine') {
    return blockerOf(visit, {
      ...common,
      code: 'waiting_in_queue',
      message: `${waits}, until a scheduler takes it`,
      moving: isAboutToBeDone(scene, enqueuedAt),
      unblockedBy: 'a scheduler, which runs the node',
    });
  }
  const { seen, lastSeenAt } = scene.facts.workers.get(queue satisfies WorkerQueue) ?? NOBODY;
  if (seen === 0) {
    const buildId = buildOf(place);
    const last = lastSeenAt === null ? '' : `; the last was seen ${tellAge(scene, lastSeenAt)} ago`;
    return blockerOf(visit, {
      ...common,
      code: buildId === null ? 'no_worker_for_queue' : 'no_worker_for_build',
      message: `${waits}${buildId === null ? '' : ` for build ${buildId}`}, and no worker of the tenant claims from it${last}`,
      unblockedBy: buildId === null ? workerOf(queue, place) : remedyOf(buildId),
      details: { ...known, ...(buildId !== null && { buildId }) },
    });
  }
  const unserved = explainUnserved(scene, { queue, seen, place });
  // A worker that starts up, or restarts, may not have claimed yet.
  const isNew = scene.nowMs - Date.parse(enqueuedAt) < GRACE_MS;
  if (unserved !== null && !isNew) {
    return blockerOf(visit, {
      ...common,
      ...unserved,
      message: `${waits}, and ${unserved.message}`,
      details: { ...known, ...unserved.details },
    });
  }
  const keyed = share === undefined ? '' : ' of the items with keys of fairness';
  const before = position === null ? '' : ` as number ${position}${keyed}`;
  const waiting = { ...common, code: 'waiting_in_queue' } as const;
  const details = { ...known, ...(position !== null && { position }) };
  const ofBuild = countOfBuild(scene, { queue, place });
  if (ofBuild?.able === 0) {
    const { buildId } = ofBuild;
    // A worker without a free place claims nothing, and nobody knows the build of a lease.
    const busy =
      servingOf(scene, queue).length < seen
        ? 'a worker that holds a lease now, if it is of this build; or '
        : '';
    return blockerOf(visit, {
      ...waiting,
      message: `${waits}${before}; no worker of build ${buildId}, which the function is pinned to, has claimed from it lately`,
      unblockedBy: `${busy}${remedyOf(buildId)}`,
      details: { ...details, buildId },
    });
  }
  if (unserved !== null) {
    return blockerOf(visit, {
      ...waiting,
      message: `${waits}${before}; until now, ${unserved.message}`,
      unblockedBy: unserved.unblockedBy,
      details: { ...details, ...unserved.details },
    });
  }
  const able = ofBuild?.able ?? seen;
  const whose = ofBuild === null ? '' : ` of build ${ofBuild.buildId}`;
  return blockerOf(visit, {
    ...waiting,
    message: `${waits}${before}; ${able} ${able === 1 ? 'worker' : 'workers'}${whose} ${able === 1 ? 'claims' : 'claim'} from it${tellShare(share)}`,
    unblockedBy: `the workers of ${queue}: lower priority numbers first, then ${share === undefined ? 'the oldest' : 'the keys in turns'}`,
    details: { ...details, ...(ofBuild !== null && { buildId: ofBuild.buildId }) },
  });
}

/** The workers that have claimed from the queue lately. */
function servingOf({ facts }: Scene, queue: WorkerQueue): readonly ServingWorker[] {
  return facts.serving.filter(({ queueTypes }) => queueTypes.includes(queue));
}

/** The workers seen lately that claim for the build of the item; null: it has none, or they are too many to read. */
function countOfBuild(
  scene: Scene,
  { queue, place }: { readonly queue: WorkerQueue; readonly place: Place<'queued'> },
): { readonly buildId: string; readonly able: number } | null {
  const { tool, queueName } = place;
  const buildId = buildOf(place);
  if (buildId === null || tool === null || scene.facts.serving.length >= SERVING_MAX) return null;
  const able = servingOf(scene, queue).filter(({ filter }) =>
    admitsItem(filter, { tool, queueName }),
  );
  return { buildId, able: able.length };
}

/** The words for the key of fairness of an item. */
function tellShare(share: Place<'queued'>['share']): string {
  if (share === undefined) return '';
  const own =
    share === null
      ? ''
      : `, and its own is ${JSON.stringify(textOfKey(share))} with weight ${share.weight}`;
  return `; keys take turns${own}`;
}

/** The words for the limit of a tool, its rate, or both. */
function tellLimits({ tool, limit, key, rate }: Quota): string {
  const withKey = (text: string | null) =>
    text === null ? '' : ` with key ${JSON.stringify(text)}`;
  const count = (calls: number) => `${calls} ${calls === 1 ? 'call' : 'calls'} of ${tool}`;
  return [
    limit === null ? [] : `${count(limit)}${withKey(key)} at a time`,
    rate === null ? [] : `${count(rate.limit)}${withKey(rate.key)} in ${rate.perMs / 1_000} s`,
  ]
    .flat()
    .join(', and ');
}

function workerOf(
  queue: WorkerQueue,
  { tool, queueName = DEFAULT_QUEUE }: Place<'queued'>,
): string {
  const { queueName: name } = readQueueName(queueName);
  const named = name === DEFAULT_QUEUE ? '' : ` with "queues": [${JSON.stringify(name)}]`;
  return `a worker that claims ${tool === null ? '' : `${tool} `}from ${queue}${named}`;
}

/** The build that the item is pinned to; null: none. */
function buildOf({ queueName = DEFAULT_QUEUE }: Place<'queued'>): string | null {
  return readQueueName(queueName).buildId;
}

function remedyOf(buildId: string): string {
  return (
    `a worker that claims with "build_id": "${buildId}", or another build for the function: ` +
    'POST /executions/{id}/build, or: svc execution move'
  );
}

/** After it, a queue that no worker serves holds an execution back. */
const GRACE_MS = 10_000;

/**
 * The tool or queue that no present worker serves; null: one does, or it is not known for all of
 * them.
 */
function explainUnserved(
  scene: Scene,
  of: { readonly queue: WorkerQueue; readonly seen: number; readonly place: Place<'queued'> },
): (Pick<Blocker, 'message' | 'unblockedBy' | 'details'> & { readonly code: BlockerCode }) | null {
  const { facts } = scene;
  const { tool, queueName } = of.place;
  const here = servingOf(scene, of.queue);
  // A worker that only holds a lease has not announced lately what it claims.
  if (tool === null || here.length < of.seen || facts.serving.length >= SERVING_MAX) return null;
  if (here.some(({ filter }) => admitsItem(filter, { tool, queueName }))) return null;
  const name = queueName ?? DEFAULT_QUEUE;
  const { queueName: given, buildId } = readQueueName(name);
  const details = {
    tool,
    ...(queueName !== undefined && { queueName: given }),
    ...(buildId !== null && { buildId }),
  };
  const many = of.seen === 1 ? 'the only worker' : `none of the ${of.seen} workers`;
  const does = (what: string) => `${many} ${of.seen === 1 ? 'does not claim' : 'claims'} ${what}`;
  const isNamed = here.some(({ filter }) => queueNamesOf(filter).includes(name));
  if (!isNamed && buildId !== null) {
    return {
      code: 'no_worker_for_build',
      message: does(`for build ${buildId}, which the function is pinned to`),
      unblockedBy: remedyOf(buildId),
      details,
    };
  }
  return isNamed
    ? {
        code: 'no_worker_for_tool',
        message: does(`tool ${tool}`),
        unblockedBy: `a worker that claims ${tool}: start one, or add it to the tools of one`,
        details,
      }
    : {
        code: 'no_worker_for_queue',
        message: does(`the queue named ${name}`),
        unblockedBy: `a worker that claims with "queues": ["${name}"]`,
        details,
      };
}

function explainHeld(
  { state, history }: Scene,
  visit: LiveVisit,
  known: Blocker['details'],
): Blocker {
  const byWorkflow = state.pauses.every(({ scope }) => scope === 'workflow');
  const what = byWorkflow ? 'workflow' : 'execution';
  return blockerOf(visit, {
    code: byWorkflow ? 'workflow_paused' : 'paused_by_operator',
    message: `the work item of node ${visit.nodeId} is held while the ${what} is paused`,
    since: history.pausedAt.values().toArray().toSorted()[0] ?? null,
    unblockedBy: `the resumption of the ${what}`,
    details: known,
  });
}

function explainLeased(scene: Scene, { visit, place, known }: WorkAt<'leased'>): Blocker {
  const { workerId, leaseFence, claimedAt, expiresAt, queue, holderSeenAt, attempt } = place;
  const overdue = isPast(scene, expiresAt);
  const holder = `${queue === 'engine' ? 'process' : 'worker'} ${workerId}`;
  const common = {
    code: 'lease_held_until',
    since: claimedAt,
    until: expiresAt,
    overdue,
    details: { ...known, workerId, leaseFence },
  } as const;
  if (overdue) {
    return blockerOf(visit, {
      ...common,
      message: `the lease of ${holder} on node ${visit.nodeId} expired ${tellAge(scene, expiresAt)} ago and is not reclaimed yet`,
      moving: isAboutToBeDone(scene, expiresAt),
      unblockedBy: 'a scheduler, which reclaims the lease and counts a failed attempt',
    });
  }
  // Processes of the runtime send heartbeats all the time, workers only when they claim.
  const isGone = queue === 'engine' && isSilent(scene, holderSeenAt);
  const gone = isGone ? ', but that process is no longer seen' : '';
  return blockerOf(visit, {
    ...common,
    message: `${holder} has worked on attempt ${attempt + 1} of node ${visit.nodeId} for ${tellAge(scene, claimedAt)}${gone}`,
    moving: !isGone,
    unblockedBy: isGone ? 'the end of the lease' : `${holder}, or the end of its lease`,
  });
}

const SILENCE_MS_MAX = 60_000;

/** If no process announces itself, a missing one means nothing. */
function isSilent({ facts, nowMs }: Scene, seenAt: string | null): boolean {
  if (seenAt === null) return facts.schedulers.lastSeenAt !== null;
  return nowMs - Date.parse(seenAt) > SILENCE_MS_MAX;
}

function explainRetry(scene: Scene, { visit, place, known }: WorkAt<'retrying'>): Blocker {
  const { dueAt, attempt } = place;
  const failed = scene.history.failed.get(visitKey(visit.nodeId, visit.visit));
  const error = failed?.payload.error;
  const overdue = isPast(scene, dueAt);
  const why = error === undefined ? '' : ` after: ${error}`;
  const isUncounted = failed?.payload.counted === false;
  const misfits = isUncounted && failed.payload.error_class === MISFIT_CLASS;
  const waits = misfits
    ? 'waits for code that fits its journal'
    : `waits for its time${isUncounted ? ' because of a rate limit' : ''}`;
  const until = misfits ? 'a worker whose code fits; the next try is at its time' : 'its time';
  return blockerOf(visit, {
    code: 'retry_backoff_until',
    message: `attempt ${attempt + 1} of node ${visit.nodeId} ${overdue ? 'is due' : waits}${why}`,
    since: failed?.createdAt ?? null,
    until: dueAt,
    overdue,
    moving: overdue && isAboutToBeDone(scene, dueAt),
    unblockedBy: overdue ? 'a scheduler, which puts it on its queue' : until,
    details: { ...known, ...(error !== undefined && { error }) },
  });
}
