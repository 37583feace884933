import {
  Role,
  TaskState,
  type Artifact,
  type Message,
  type Part,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk';

import { isPausedByOperator } from '../../shared/domain/execution/state.ts';
import type { ExecutionStatus } from '../../shared/domain/execution/status.ts';
import type { JsonObject } from '../../shared/domain/json.ts';
import type { Approvals, ExecutionView } from '../../shared/engine/engine.ts';
import { firstMessageOf } from './read-message.ts';

/** An execution as it is shown to agents: with what a person is asked, while it waits for one. */
export interface TaskView extends ExecutionView {
  readonly pending: Approvals['pending'];
}

/** The execution is the task: one id, one life. */
export function shapeTask(
  view: TaskView,
  options: { readonly historyLength: number | null },
): Task {
  const { row } = view;
  const contextId = contextOf(view);
  const first = firstMessageOf(view.state.input);
  const { messageId = '' } = view.messageIds ?? {};
  const ids = { taskId: row.executionId, contextId };
  return {
    id: row.executionId,
    contextId,
    status: shapeStatus(view),
    artifacts: row.status === 'completed' ? [shapeResult(view)] : [],
    history: first === null || options.historyLength === 0 ? [] : [{ ...first, ...ids, messageId }],
    metadata: { workflow_id: row.workflowId, workflow_version: row.workflowVersion },
  };
}

/** The client's own context, else the task stands alone and is its own. */
export function contextOf(view: ExecutionView): string {
  return view.messageIds?.contextId || view.row.executionId;
}

export function shapeStatus(view: TaskView): TaskStatus {
  return {
    state: isHeldUp(view) ? TaskState.TASK_STATE_WORKING : stateOf(view.row.status),
    message: explainStatus(view),
    timestamp: view.row.completedAt ?? view.row.updatedAt,
  };
}

/** An operator has paused it: nothing that the client could do would move it on. */
export function isHeldUp({ row, state }: Pick<ExecutionView, 'row' | 'state'>): boolean {
  return row.status === 'paused' && isPausedByOperator(state);
}

export function stateOf(status: ExecutionStatus): TaskState {
  switch (status) {
    case 'running':
      return TaskState.TASK_STATE_WORKING;
    case 'paused':
      return TaskState.TASK_STATE_INPUT_REQUIRED;
    case 'completed':
      return TaskState.TASK_STATE_COMPLETED;
    case 'failed':
      return TaskState.TASK_STATE_FAILED;
    case 'cancelled':
      return TaskState.TASK_STATE_CANCELED;
  }
}

/** The final state of the execution. */
export function shapeResult({ state }: ExecutionView): Artifact {
  return {
    artifactId: 'result',
    name: 'result',
    description: 'The final state of the workflow',
    parts: [dataPart(state.data)],
    metadata: undefined,
    extensions: [],
  };
}

function explainStatus(view: TaskView): Message | undefined {
  const { row } = view;
  if (row.status === 'failed') {
    const text = row.error ?? 'the workflow failed';
    return fromAgent(view, { name: 'failed', parts: [textPart(text)] });
  }
  if (row.status !== 'paused' || isHeldUp(view)) return undefined;
  const waits = view.waitingOn.map(({ nodeId, waitingFor, correlationKey }) => ({
    node_id: nodeId,
    waiting_for: waitingFor,
    correlation_key: correlationKey,
  }));
  const asked = view.pending.map(({ nodeId, description }) => description ?? `Approve ${nodeId}?`);
  const keys = waits.flatMap(({ correlation_key: key }) => (key === null ? [] : [key]));
  const lines = [...asked, ...keys.map((key) => `Waiting for ${key}.`)];
  const parts = [textPart(lines.join('\n')), dataPart({ waiting_on: waits })];
  return fromAgent(view, { name: `${row.lastSequence}`, parts });
}

/** Its id says what it tells of, so that the same status is the same message at every reading. */
function fromAgent(
  view: ExecutionView,
  said: { readonly name: string; readonly parts: Part[] },
): Message {
  const { executionId } = view.row;
  return {
    messageId: `${executionId}:${said.name}`,
    contextId: contextOf(view),
    taskId: executionId,
    role: Role.ROLE_AGENT,
    parts: said.parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function textPart(value: string): Part {
  const content = { $case: 'text', value } as const;
  return { content, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function dataPart(value: JsonObject): Part {
  const content = { $case: 'data', value } as const;
  return { content, metadata: undefined, filename: '', mediaType: 'application/json' };
}
