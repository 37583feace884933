import type { Approvals } from '../../shared/engine/executions/list-approvals.ts';
import type { ExecutionView } from '../../shared/engine/executions/read-execution.ts';
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
import { followKeys, type MappingPath } from '../../shared/domain/expression/mapping-path.ts';
import { dataPart, textPart, toParts } from './parts.ts';
import { firstMessageOf } from './read-message.ts';

/** An execution as it is shown to agents: with what a person is asked, while it waits for one. */
export interface TaskView extends ExecutionView {
  readonly pending: Approvals['pending'];
}

/** How the tasks of one agent look to its clients. */
export interface ShapeTasks {
  /** `historyLength` absent: all; `artifacts` false: none. */
  task(view: TaskView, options?: TaskOptions): Task;
  result(view: TaskView): Artifact;
}

interface TaskOptions {
  readonly historyLength?: number | undefined;
  readonly artifacts?: boolean;
}

export function shapeTasks(agent: {
  /** Where in the final state the result lies; null: the state is the result. */
  readonly result: MappingPath | null;
  readonly publicUrl: string;
}): ShapeTasks {
  const result = (view: TaskView) => shapeResult(view, agent);
  return { result, task: (view, options = {}) => shapeTask(view, { ...options, result }) };
}

/** The execution is the task: one id, one life. */
function shapeTask(
  view: TaskView,
  options: TaskOptions & { readonly result: ShapeTasks['result'] },
): Task {
  const { row } = view;
  const { historyLength, artifacts = true } = options;
  const contextId = contextOf(view);
  const first = firstMessageOf(view.state.input);
  const { messageId = '' } = view.messageIds ?? {};
  const ids = { taskId: row.executionId, contextId };
  return {
    id: row.executionId,
    contextId,
    status: shapeStatus(view),
    artifacts: artifacts && row.status === 'completed' ? [options.result(view)] : [],
    history: first === null || historyLength === 0 ? [] : [{ ...first, ...ids, messageId }],
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

/** An operator has paused it: no action of the client would continue it. */
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

function shapeResult(view: ExecutionView, agent: Parameters<typeof shapeTasks>[0]): Artifact {
  const { data } = view.state;
  const found = agent.result && followKeys(data, agent.result.keys);
  return {
    artifactId: 'result',
    name: 'result',
    description: agent.result === null ? 'The final state of the workflow' : '',
    parts: found === null ? [dataPart(data)] : toParts(found, agent.publicUrl),
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

/** Its id identifies the status, so every read of the same status gives the same message. */
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
