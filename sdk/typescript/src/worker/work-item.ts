import type { Entry } from '../functions/journal.ts';
import { isRecord } from '../is-record.ts';

/** A claimed item, as far as a worker reads it (`docs/reference/worker-protocol.md`). */
export interface WorkItem {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly queue_type: 'python_tool' | 'java_tool' | 'function';
  readonly payload: {
    readonly module?: string;
    readonly function?: string;
    readonly class?: string;
    readonly method?: string;
    readonly input: unknown;
  };
  readonly attempt: number;
  readonly lease_fence: number;
  readonly idempotency_key?: string;
  readonly heartbeat_interval_ms?: number;
  readonly traceparent?: string;
  /** Only items of functions have this member and those below. */
  readonly turn?: number;
  readonly mode?: 'run' | 'rollback';
  readonly cancel_requested?: boolean;
  readonly journal?: JournalPage;
}

export interface JournalPage {
  readonly entries: readonly Entry[];
  readonly length: number;
  readonly next: number | null;
}

/** The items of the answer to a claim. */
export function readItems(body: Readonly<Record<string, unknown>>): readonly WorkItem[] {
  const { work_items: several, work_item: one } = body;
  const found: readonly unknown[] = Array.isArray(several) ? several : [one];
  return found.filter(isItem);
}

/** A runtime that knows only the calls of the contract answers with one item, and takes no item back. */
export function isOfPlainRuntime(body: Readonly<Record<string, unknown>>): boolean {
  return !Array.isArray(body['work_items']);
}

function isItem(value: unknown): value is WorkItem {
  return isRecord(value) && typeof value['id'] === 'string' && isRecord(value['payload']);
}

/** The name of the code for an item, as in claims: `module.function`, `class.method` or the function. */
export function nameOf(item: WorkItem): string {
  const { payload } = item;
  if (item.queue_type === 'function') return payload.function ?? '';
  if (payload.class !== undefined && payload.method !== undefined) {
    return `${payload.class}.${payload.method}`;
  }
  return `${payload.module}.${payload.function}`;
}
