import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/** States of a task in the Agent2Agent protocol, in the words of 0.3 with `_` for `-`. */
export type AgentTaskState =
  | 'submitted'
  | 'working'
  | 'input_required'
  | 'auth_required'
  | 'completed'
  | 'failed'
  | 'rejected'
  | 'canceled'
  /** One that this version of the protocol doesn't know. */
  | 'unknown';

/** A task in the last state that its agent reported. */
export interface AgentTask {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: AgentTaskState;
  /** The agent's message beside the state: a question, or why it failed. */
  readonly says: Content;
  /** Tells one saying of the agent from another: two questions may have the same words. */
  readonly saying: string;
  readonly artifacts: readonly AgentArtifact[];
  /** Ids of the messages that the agent has of it; it need not keep any. */
  readonly messageIds: readonly string[];
}

export interface AgentArtifact extends JsonObject {
  readonly artifact_id: string;
  readonly name: string;
  readonly parts: readonly JsonObject[];
}

/**
 * The contents of parts: their texts by lines, and their data: null for none, a list for several.
 */
export interface Content {
  readonly text: string;
  readonly data: JsonValue;
}

/** The contents of a message to an agent. */
export interface AgentMessage {
  /** The same for a message that is sent again. */
  readonly messageId: string;
  readonly content: Partial<Content>;
  /** The skill that is meant; null: the agent finds out. */
  readonly skill: string | null;
  /** Null: it begins a task. */
  readonly task: { readonly taskId: string; readonly contextId: string } | null;
}

/** Nothing more comes of the task by waiting. */
export function isSettled(state: AgentTaskState): boolean {
  return state !== 'submitted' && state !== 'working' && state !== 'unknown';
}

/**
 * A node's input, or the answer to an agent's question, as what a message carries. Text is text, and
 * so is the member `text` of an object that has nothing beside it but `data` and the message it came
 * in (as our own agents are sent them); every other value is data.
 */
export function contentOf(value: JsonValue): Partial<Content> {
  if (typeof value === 'string') return { text: value };
  if (!isJsonObject(value)) return { data: value };
  const { text, data = null, message: _, ...rest } = value;
  if (typeof text !== 'string' || Object.keys(rest).length > 0) return { data: value };
  return { ...(text !== '' && { text }), ...((data !== null || text === '') && { data }) };
}

/**
 * The output of the node's work: the contents of all artifacts together, and the artifacts
 * themselves.
 */
export function outputOf(task: AgentTask): JsonObject {
  const { taskId, contextId, artifacts, says } = task;
  const told = artifacts.length === 0 ? says : sumUp(artifacts.flatMap(({ parts }) => parts));
  return { task_id: taskId, context_id: contextId, text: told.text, data: told.data, artifacts };
}

/** Parts in an output: `{text}`, `{data}`, or the description of a file. */
export function sumUp(parts: readonly JsonObject[]): Content {
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const data = parts.flatMap((part) => ('data' in part ? [part['data'] ?? null] : []));
  return { text: texts.join('\n'), data: data.length > 1 ? data : (data[0] ?? null) };
}
