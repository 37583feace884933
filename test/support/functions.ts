import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import type { Reply } from './http.ts';
import { expectStatus, type TestTenant } from './tenant.ts';
import type { ItemAnswer, WorkItem } from './wire.ts';

/* Durable functions over HTTP, as a worker without an SDK implements them. */

export type Entry = {
  readonly identity: string;
  readonly kind: string;
  readonly output?: JsonValue;
  readonly error?: { readonly message: string; readonly class?: string };
  readonly usage?: JsonObject;
  readonly position?: number;
  readonly recorded_at?: string;
};

export interface FunctionItem extends WorkItem {
  readonly turn: number;
  readonly mode: 'run' | 'rollback';
  readonly cancel_requested: boolean;
  readonly journal: Journal;
}

export interface Journal {
  readonly entries: readonly Entry[];
  readonly length: number;
  readonly next: number | null;
}

export interface TurnAnswer extends ItemAnswer {
  readonly recorded?: boolean;
  readonly suspended?: boolean;
  readonly continued?: boolean;
  readonly resumed?: boolean;
  readonly length?: number;
  readonly entries?: readonly Entry[];
}

export const FUNCTION = { kind: 'function', name: 'shop.order' };

/** Claims the next turn of a function, and waits for it if necessary. */
export async function claimTurn(svc: TestTenant, more: JsonObject = {}): Promise<FunctionItem> {
  return (await svc.claim({ queue_types: ['function'], ...more })) as FunctionItem;
}

/** Whether a turn is available now. */
export async function hasTurn(svc: TestTenant): Promise<boolean> {
  return (await svc.tryClaim({ queue_types: ['function'] })).claimed;
}

export function record(
  svc: TestTenant,
  item: FunctionItem,
  entries: readonly Entry[],
  more: JsonObject = {},
): Promise<Reply<TurnAnswer>> {
  return svc.post<TurnAnswer>(`/work-items/${item.id}/steps`, {
    lease_fence: item.lease_fence,
    expected_length: item.journal.length,
    entries,
    ...more,
  });
}

export function suspend(
  svc: TestTenant,
  item: FunctionItem,
  waits: readonly JsonObject[],
  more: JsonObject = {},
): Promise<Reply<TurnAnswer>> {
  return svc.post<TurnAnswer>(`/work-items/${item.id}/suspend`, {
    lease_fence: item.lease_fence,
    expected_length: item.journal.length,
    waits,
    ...more,
  });
}

export function continueAsNew(
  svc: TestTenant,
  item: FunctionItem,
  more: JsonObject = {},
): Promise<Reply<TurnAnswer>> {
  return svc.post<TurnAnswer>(`/work-items/${item.id}/continue`, {
    lease_fence: item.lease_fence,
    expected_length: item.journal.length,
    input: {},
    ...more,
  });
}

/** Suspends the turn, which must end the lease. */
export async function park(
  svc: TestTenant,
  item: FunctionItem,
  waits: readonly JsonObject[],
  more: JsonObject = {},
): Promise<void> {
  const answer = expectStatus(await suspend(svc, item, waits, more), 200);
  if (answer.suspended !== true) throw new Error('the turn continues');
}

export function step(identity: string, output: JsonValue = null): Entry {
  return { identity, kind: 'step', output };
}

/** The entries without the members that the runtime adds. */
export function plain({ entries }: Pick<Journal, 'entries'>): readonly Entry[] {
  return entries.map(({ position: _position, recorded_at: _recordedAt, ...entry }) => entry);
}
