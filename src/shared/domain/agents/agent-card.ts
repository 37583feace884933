import type { JsonObject, JsonValue } from '../json.ts';

/**
 * An agent's description of itself: the interface document, "Agent (Agent Card)". A card is a
 * document, kept with its wire names and with the fields we don't know. Its `id` is not among them:
 * an agent may have been given one when it was registered.
 */
export interface AgentCard extends JsonObject {
  readonly name: string;
  /** Null: the card names no address. */
  readonly uri: string | null;
  readonly description: string;
  readonly version: string;
  readonly capabilities: AgentCapabilities;
  readonly autonomy: Autonomy;
  readonly auth: AgentAuth;
}

export interface AgentCapabilities extends JsonObject {
  readonly skills: readonly AgentSkill[];
  /** In lower case. */
  readonly protocols: readonly string[];
  readonly tools_provided: readonly string[];
  readonly tools_consumed: readonly string[];
}

export interface AgentSkill extends JsonObject {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema, or a reference to one. */
  readonly input_schema: JsonObject | string;
  readonly output_schema: JsonObject | string;
}

export interface AgentAuth extends JsonObject {
  readonly type: AuthType;
}

export const AUTONOMIES = [
  'deterministic',
  'guided',
  'bounded_autonomous',
  'fully_autonomous',
] as const;
export type Autonomy = (typeof AUTONOMIES)[number];

export const AUTH_TYPES = ['none', 'bearer_token', 'api_key', 'oauth2', 'oidc', 'mtls'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

export const AGENT_STATUSES = ['registered', 'active', 'paused', 'deactivated'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

export const AGENT_PROTOCOLS = ['mcp', 'a2a', 'anp'] as const;
export type AgentProtocol = (typeof AGENT_PROTOCOLS)[number];

/** The names that a search for a skill finds: skills of A2A cards have an id beside their name. */
export function skillNames(card: AgentCard): readonly string[] {
  const names = card.capabilities.skills.flatMap((skill): JsonValue[] => [
    skill.name,
    skill['id'] ?? null,
  ]);
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== ''))] as string[];
}
