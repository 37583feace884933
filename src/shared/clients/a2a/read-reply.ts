import { TaskState, type Message, type Part, type Task } from '@a2a-js/sdk';

import { AgentFailure } from '../../domain/a2a/agent-failure.ts';
import {
  sumUp,
  type AgentTask,
  type AgentTaskState,
  type Content,
} from '../../domain/a2a/agent-task.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { findKeepProblem } from '../../domain/keepable-json.ts';

export type Reply =
  | { readonly kind: 'message'; readonly content: Content; readonly parts: readonly JsonObject[] }
  | { readonly kind: 'task'; readonly task: AgentTask };

export function readReply(result: Message | Task, name: string): Reply {
  if ('artifacts' in result) return { kind: 'task', task: readTask(result, name) };
  const parts = readParts(result.parts, name);
  return { kind: 'message', content: sumUp(parts), parts };
}

export function readTask(task: Task, name: string): AgentTask {
  if (task.id === '') {
    throw new AgentFailure(`agent ${name} told no id of the task`, {
      errorClass: 'invalid_response',
      isFinal: true,
    });
  }
  return {
    taskId: task.id,
    contextId: task.contextId,
    state: readState(task.status?.state),
    says: sumUp(readParts(task.status?.message?.parts ?? [], name)),
    saying: `${task.status?.timestamp ?? ''} ${task.status?.message?.messageId ?? ''}`,
    artifacts: task.artifacts.map((artifact) => ({
      artifact_id: artifact.artifactId,
      name: artifact.name,
      parts: readParts(artifact.parts, name),
    })),
    messageIds: task.history.map(({ messageId }) => messageId),
  };
}

export function readState(state: TaskState | undefined): AgentTaskState {
  switch (state) {
    case TaskState.TASK_STATE_SUBMITTED:
      return 'submitted';
    case TaskState.TASK_STATE_WORKING:
      return 'working';
    case TaskState.TASK_STATE_COMPLETED:
      return 'completed';
    case TaskState.TASK_STATE_FAILED:
      return 'failed';
    case TaskState.TASK_STATE_CANCELED:
      return 'canceled';
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return 'input_required';
    case TaskState.TASK_STATE_REJECTED:
      return 'rejected';
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return 'auth_required';
    default:
      return 'unknown';
  }
}

/** What an agent says becomes state, so what state cannot hold is refused here. */
function readParts(parts: readonly Part[], name: string): readonly JsonObject[] {
  const shaped = parts.map(shapePart);
  const problem = findKeepProblem(shaped);
  if (problem === null) return shaped;
  throw new AgentFailure(`agent ${name} answers with what no state can hold: ${problem}`, {
    errorClass: 'invalid_response',
    isFinal: true,
  });
}

function shapePart({ content, mediaType, filename }: Part): JsonObject {
  const file = {
    ...(mediaType !== '' && { media_type: mediaType }),
    ...(filename !== '' && { filename }),
  };
  switch (content?.$case) {
    case 'text':
      return { text: content.value };
    case 'data':
      return { data: (content.value ?? null) as JsonValue };
    case 'url':
      return { url: content.value, ...file };
    case 'raw':
      return { raw: content.value.toString('base64'), ...file };
    case undefined:
      return {};
  }
}
