import type { Caller, Reader } from '../caller.ts';
import { notFound } from '../../domain/errors.ts';
import {
  type PauseProgress,
  progressOf,
  type WorkflowPause,
} from '../../domain/workflow/workflow-pause.ts';
import type { EngineDeps } from '../deps.ts';
import { PAUSES_TOPIC, PLACES_TOPIC } from '../wake/wake-bus.ts';

/*
 * Pausing and resuming a whole workflow, in all its versions.
 *
 * The pause applies once the caller has the answer. Every execution that begins later is held
 * before its first step: a start reads the pause with the definition; a child, a retry or a
 * continuing run reads it before its first decision. A scheduler holds the live executions, a batch
 * at a time, and releases them in the same way; see `sweep-workflow-pauses.ts`. Each execution
 * records it with an event of its own.
 */

export interface WorkflowRef {
  readonly workflowId: string;
}

/** A workflow's pause, for people. */
export interface ShownPause extends Omit<WorkflowPause, 'tenantId' | 'workflowId'> {
  readonly progress: PauseProgress;
  /** Executions that it holds. */
  readonly held: number;
  /** False: it holds more, and they were not counted. */
  readonly isExact: boolean;
}

/** Pausing what is paused already changes nothing. */
export async function pauseWorkflow(
  deps: EngineDeps,
  { tenantId, actorId }: Caller,
  { workflowId, reason }: WorkflowRef & { readonly reason: string | null },
): Promise<ShownPause> {
  const pauseId = deps.ids.uuid();
  const pause = await deps.store.workflowPauses.pause({
    tenantId,
    actorId,
    workflowId,
    reason,
    pauseId,
  });
  if (pause === null) throw notFound(`workflow ${workflowId}`);
  // Also when it was asked for before: that hint may have been lost.
  deps.wake.notify([PAUSES_TOPIC]);
  return (
    (await readPause(deps, { tenantId }, workflowId)) ?? { ...shown(pause), held: 0, isExact: true }
  );
}

/** Null: nothing holds it. Else what its pause holds is being given back. */
export async function resumeWorkflow(
  deps: EngineDeps,
  { tenantId, actorId }: Caller,
  { workflowId }: WorkflowRef,
): Promise<ShownPause | null> {
  const resumed = await deps.store.workflowPauses.resume({ tenantId, actorId, workflowId });
  const pause = await readPause(deps, { tenantId }, workflowId);
  if (resumed !== null || pause !== null) deps.wake.notify([PAUSES_TOPIC, PLACES_TOPIC]);
  else if (
    (await deps.store.definitions.latestId({ tenantId, workflowId, version: null })) === null
  ) {
    throw notFound(`workflow ${workflowId}`);
  }
  return pause;
}

/** Those of these workflows that are paused, or are being resumed. */
export async function readWorkflowPauses(
  deps: Pick<EngineDeps, 'store'>,
  { tenantId }: Reader,
  { workflowIds }: { readonly workflowIds: readonly string[] },
): Promise<ReadonlyMap<string, ShownPause>> {
  if (workflowIds.length === 0) return new Map();
  const pauses = await deps.store.workflowPauses.find({
    tenantId,
    workflowIds,
    countMax: HELD_COUNTED_MAX + 1,
  });
  return new Map(
    pauses.map(({ held, ...pause }) => [
      pause.workflowId,
      {
        ...shown(pause),
        held: Math.min(held, HELD_COUNTED_MAX),
        isExact: held <= HELD_COUNTED_MAX,
      },
    ]),
  );
}

/** Counting is work for the database, so it ends there. */
const HELD_COUNTED_MAX = 10_000;

async function readPause(
  deps: EngineDeps,
  reader: Reader,
  workflowId: string,
): Promise<ShownPause | null> {
  const pauses = await readWorkflowPauses(deps, reader, { workflowIds: [workflowId] });
  return pauses.get(workflowId) ?? null;
}

function shown(pause: WorkflowPause): Omit<ShownPause, 'held' | 'isExact'> {
  const { tenantId: _tenantId, workflowId: _workflowId, ...rest } = pause;
  return { ...rest, progress: progressOf(pause) };
}
