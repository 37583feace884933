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
import { redactSecrets } from '../../domain/tools/redact-secrets.ts';

export type Reply =
  | { readonly kind: 'message'; readonly content: Content; readonly parts: readonly JsonObject[] }
  | { readonly kind: 'task'; readonly task: AgentTask };

/** Whose words are read. */
export interface Speaker {
  /** How messages name the agent. */
  readonly name: string;
  /** The credentials that it received, by name: they must not come back into events and state. */
  readonly secrets: ReadonlyMap<string, string>;
}

export function readReply(result: Message | Task, from: Speaker): Reply {
  if ('artifacts' in result) return { kind: 'task', task: readTask(result, from) };
  const parts = readParts(result.parts, from);
  return { kind: 'message', content: sumUp(parts), parts };
}

export function readTask(task: Task, from: Speaker): AgentTask {
  const { timestamp = '', message } = task.status ?? {};
  return {
    ...readIds({ taskId: task.id, contextId: task.contextId }, from),
    state: readState(task.status?.state),
    says: sumUp(readParts(message?.parts ?? [], from)),
    saying: readId(`${timestamp} ${message?.messageId ?? ''}`, from),
    artifacts: task.artifacts.map(({ artifactId, name, parts }) => ({
      ...keepable({ artifact_id: artifactId, name }, from),
      parts: readParts(parts, from),
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

interface Ids {
  readonly taskId: string;
  readonly contextId: string;
}

export function readIds(ids: Ids, from: Speaker): Ids {
  if (ids.taskId === '') {
    throw new AgentFailure(`agent ${from.name} told no id of the task`, {
      errorClass: 'invalid_response',
      isFinal: true,
    });
  }
  return { taskId: readId(ids.taskId, from), contextId: readId(ids.contextId, from) };
}

function readId(id: string, from: Speaker): string {
  if (Buffer.byteLength(id) <= ID_BYTES_MAX) return keepable(id, from);
  throw new AgentFailure(`agent ${from.name} tells an id of more than ${ID_BYTES_MAX} bytes`, {
    errorClass: 'invalid_response',
    isFinal: true,
  });
}

/** A task's becomes the key of an event, with a few letters before it. */
const ID_BYTES_MAX = 500;

function readParts(parts: readonly Part[], from: Speaker): readonly JsonObject[] {
  return keepable(parts.map(shapePart), from);
}

/** An agent's answer becomes state, so values that state cannot hold are refused here. */
function keepable<Value extends JsonValue>(value: Value, { name, secrets }: Speaker): Value {
  const problem = findKeepProblem(value);
  // Strings are replaced by strings, so its shape stays.
  if (problem === null) return redactSecrets(value, secrets) as Value;
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
