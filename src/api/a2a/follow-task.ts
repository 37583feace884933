import { waitForEvents, readEvents } from '../../shared/engine/executions/read-execution.ts';
import type { UseCaseDeps } from '../../shared/engine/use-case-deps.ts';
import { TaskState, type StreamResponse } from '@a2a-js/sdk';

import type { RecordedEvent } from '../../shared/domain/execution/event.ts';
import type { Caller } from '../endpoint.ts';
import { contextOf, isHeldUp, shapeStatus, type ShapeTasks, type TaskView } from './shape-task.ts';

const EVENTS_PER_PAGE = 500;

export interface Following {
  readonly engine: UseCaseDeps;
  readonly caller: Caller;
  readonly shape: ShapeTasks;
  readonly read: (taskId: string) => Promise<TaskView | null>;
  /** Aborted when the client leaves or loses its access, or when the server begins to close. */
  readonly signal: AbortSignal;
}

/** The agent has nothing more to do for now: the task has ended, or the client is asked. */
export function isResting(view: TaskView): boolean {
  return view.row.status !== 'running' && !isHeldUp(view);
}

/** The task once it rests, or as it is when the signal aborts. */
export async function untilResting(following: Following, first: TaskView): Promise<TaskView> {
  const { engine, signal } = following;
  let view = first;
  while (!isResting(view) && !signal.aborted) {
    const { executionId, lastSequence } = view.row;
    await waitForEvents(engine, { executionId, after: lastSequence, signal });
    view = (await following.read(executionId)) ?? view;
  }
  return view;
}

/**
 * The task as it is, an update for every event of the execution from then on, and at its end the
 * result. It stops too where the client is asked for something: the next message brings its own.
 */
export async function* followTask(
  following: Following,
  first: TaskView,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { engine, caller, shape, signal } = following;
  yield { payload: { $case: 'task', value: shape.task(first) } };
  if (isResting(first)) return;
  const { executionId } = first.row;
  let after = first.row.lastSequence;
  while (!signal.aborted) {
    const { events } = await readEvents(engine, caller, {
      executionId,
      after,
      limit: EVENTS_PER_PAGE,
    });
    if (events.length === 0) {
      await waitForEvents(engine, { executionId, after, signal });
      continue;
    }
    for (const event of events) {
      if (signal.aborted) return;
      after = event.sequence;
      if (!isLast(event)) yield shapeProgress(first, event);
    }
    const view = await following.read(executionId);
    if (view === null) return;
    if (isResting(view)) {
      yield* shapeEnd(view, shape);
      return;
    }
  }
}

function isLast({ kind }: RecordedEvent): boolean {
  return kind === 'WorkflowCompleted' || kind === 'WorkflowFailed' || kind === 'WorkflowCancelled';
}

function shapeProgress(view: TaskView, event: RecordedEvent): StreamResponse {
  const { sequence, kind, nodeId } = event;
  return {
    payload: {
      $case: 'statusUpdate',
      value: {
        taskId: view.row.executionId,
        contextId: contextOf(view),
        status: {
          state: TaskState.TASK_STATE_WORKING,
          message: undefined,
          timestamp: event.createdAt,
        },
        metadata: { sequence, kind, node_id: nodeId },
      },
    },
  };
}

function* shapeEnd(view: TaskView, shape: ShapeTasks): Generator<StreamResponse> {
  const ids = { taskId: view.row.executionId, contextId: contextOf(view) };
  if (view.row.status === 'completed') {
    const artifact = shape.result(view);
    const value = { ...ids, artifact, append: false, lastChunk: true, metadata: undefined };
    yield { payload: { $case: 'artifactUpdate', value } };
  }
  const value = { ...ids, status: shapeStatus(view), metadata: undefined };
  yield { payload: { $case: 'statusUpdate', value } };
}
