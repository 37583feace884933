import { TaskState, type ListTasksRequest, type ListTasksResponse } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';

import type { ExecutionStatus } from '../../shared/domain/execution/status.ts';
import { instantOf } from '../../shared/domain/instant.ts';
import { cursorOf, cursorText } from '../endpoints/executions/cursor.ts';
import type { AgentTasks, TaskFilter } from './agent-tasks.ts';
import { checkHistoryLength } from './check-parameters.ts';
import { stateOf, type ShapeTasks } from './shape-task.ts';

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 100;

/** The tasks of an agent, those updated last first, a page at a time. */
export async function listTasks(
  request: ListTasksRequest,
  { tasks, shape }: { readonly tasks: AgentTasks; readonly shape: ShapeTasks },
): Promise<ListTasksResponse> {
  const { pageSize = PAGE_SIZE, historyLength, includeArtifacts = false } = request;
  checkHistoryLength(historyLength);
  if (!Number.isSafeInteger(pageSize) || pageSize < 1 || pageSize > PAGE_SIZE_MAX) {
    throw new RequestMalformedError(`pageSize must be 1 to ${PAGE_SIZE_MAX}`);
  }
  const filter = {
    contextId: request.contextId === '' ? null : request.contextId,
    updatedAfter: readInstant(request.statusTimestampAfter),
    cursor: readToken(request.pageToken),
    limit: pageSize,
  };
  const status = readState(request.status);
  if (status === 'none') return { tasks: [], nextPageToken: '', pageSize, totalSize: 0 };
  const { views, total, next } = await tasks.list({ ...filter, status });
  return {
    tasks: views.map((view) => shape.task(view, { historyLength, artifacts: includeArtifacts })),
    nextPageToken: next === null ? '' : tokenOf(next),
    pageSize,
    totalSize: total,
  };
}

const STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;
/** States of the protocol that no execution is ever in. */
const NEVER: readonly TaskState[] = [
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_REJECTED,
  TaskState.TASK_STATE_AUTH_REQUIRED,
];

/** Null: any; `none`: no task is in it. */
function readState(state: TaskState): ExecutionStatus | 'none' | null {
  if (state === TaskState.TASK_STATE_UNSPECIFIED) return null;
  if (NEVER.includes(state)) return 'none';
  const status = STATUSES.find((one) => stateOf(one) === state);
  if (status === undefined) throw new RequestMalformedError('status must be a state of a task');
  return status;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

function readInstant(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const instant = INSTANT.test(text) ? instantOf(Date.parse(text)) : null;
  if (instant !== null) return instant;
  throw new RequestMalformedError('statusTimestampAfter must be an ISO 8601 instant');
}

/** In the form of other lists' cursors, the instant being that of the update. */
function tokenOf({ updatedAt, executionId }: NonNullable<TaskFilter['cursor']>): string {
  return cursorOf({ createdAt: updatedAt, executionId });
}

function readToken(token: string): TaskFilter['cursor'] {
  if (token === '') return null;
  const { success, data } = cursorText.safeParse(token);
  if (success) return { updatedAt: data.createdAt, executionId: data.executionId };
  throw new RequestMalformedError('pageToken must be the nextPageToken of an earlier answer');
}
