import type { JsonObject } from '../json.ts';

/** One thing remembered; the interface document, "Memory fact". Its scope is agent and end user. */
export interface Fact extends Scope {
  readonly factId: string;
  readonly content: string;
  readonly metadata: JsonObject;
  readonly createdAt: string;
}

/** Whose fact it is. Null: of no agent, of no end user; both null: the whole project's. */
export interface Scope {
  readonly agentId: string | null;
  readonly endUserId: string | null;
}

/**
 * The scopes that a recall reads: for agent A and user U those of (A,U), (A,–), (–,U) and (–,–).
 * Scopes of another agent or another user are never among them, and without an agent or a user no
 * scope that belongs to one is.
 */
export function cascadeOf(scope: Scope): readonly Scope[] {
  const agents = scope.agentId === null ? [null] : [scope.agentId, null];
  const users = scope.endUserId === null ? [null] : [scope.endUserId, null];
  return agents.flatMap((agentId) => users.map((endUserId) => ({ agentId, endUserId })));
}

/** `k` of a recall: how many facts are wanted. */
export function clampK(k: number | null): number {
  return Math.min(Math.max(k ?? K_DEFAULT, 1), K_MAX);
}

export const K_DEFAULT = 10;
export const K_MAX = 100;

/** A fact's id as the caller wrote it; null for what cannot be one. */
export function parseFactId(text: string): string | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
