import type { AgentMessage, AgentTask, Content } from '../domain/a2a/agent-task.ts';
import type { TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { AuthPart } from '../domain/workflow/parse/parts.ts';

/** Agents of the Agent2Agent protocol. Every method throws an `AgentFailure` when it comes to nothing. */
export interface A2aAgents {
  /** Reads the agent's card, unless it is given, and chooses how to speak to it. */
  open(target: A2aTarget, signal: AbortSignal): Promise<A2aAgent>;
}

export interface A2aTarget {
  /** Whose secrets may be named. */
  readonly tenantId: TenantId;
  /** How messages name it. */
  readonly name: string;
  readonly url: string;
  /** Null: the well-known places. */
  readonly cardPath: string | null;
  /** A card that is known already, of either version; null: it is fetched. */
  readonly card: JsonObject | null;
  /** Sent to the origin of `url` alone. */
  readonly auth: AuthPart | null;
}

export interface A2aAgent {
  /** Names and ids of its skills; empty when its card tells none. */
  readonly skills: readonly string[];
  /** Whether it streams changes. */
  readonly streams: boolean;
  /** Resolves with the first answer, so that the id of a task is known before it is waited for. */
  send(message: AgentMessage, options: SendOptions): Promise<SentMessage>;
  get(taskId: string, signal: AbortSignal): Promise<AgentTask>;
  /** Resolves when the task may have changed or the signal aborts; never rejects. A hint, no more. */
  watch(taskId: string, signal: AbortSignal): Promise<void>;
  cancel(taskId: string, signal: AbortSignal): Promise<void>;
}

export interface SendOptions {
  /** Keeps the answer open and streams changes, if the agent can. */
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

export type SentMessage =
  /** The agent answered at once, without a task. */
  | { readonly kind: 'message'; readonly content: Content; readonly parts: readonly JsonObject[] }
  | {
      readonly kind: 'task';
      readonly taskId: string;
      readonly contextId: string;
      /** Resolves when the open answer says that the task rests, or ends; null: there is none. */
      readonly rests: Promise<void> | null;
    };
