import { createHash, randomUUID } from 'node:crypto';

import { matchesGlob } from '../../../src/shared/domain/policy/policy.ts';
import type { CallLog } from './call-log.ts';
import type { CaseItem } from './case-file.ts';

/*
 * The items of a case, with the rules that the runtime has for them: a lease has a fence, a call under
 * another fence changes nothing, and an item ends once. Failed and released items do not come again.
 */

/** Fences have almost the largest value, so that a worker that rounds them is found. */
const FENCE_MIN = Number.MAX_SAFE_INTEGER - 1_000_000;
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;

export interface PlayedItem {
  readonly id: string;
  readonly of: CaseItem;
  readonly key: string | null;
  state: 'queued' | 'leased' | 'ended';
  attempt: number;
  /** All under which the worker has had it, the latest last. */
  readonly fences: number[];
  leaseEndsAt: number;
  journal: readonly unknown[];
}

export interface Served {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ClaimRequest {
  readonly queueTypes: readonly string[];
  /** Null: items of all tools. */
  readonly tools: readonly string[] | null;
  readonly itemsMax: number;
  readonly claimId: string | null;
  readonly isRepeated: boolean;
}

export class PlayedItems {
  readonly all: readonly PlayedItem[];
  /** Names of the items whose lease ended because no heartbeat came. */
  readonly lapsed = new Set<string>();
  readonly #log: CallLog;
  readonly #claims = new Map<string, readonly PlayedItem[]>();
  #fence = FENCE_MIN;

  constructor(items: readonly CaseItem[], log: CallLog) {
    this.#log = log;
    this.all = items.map((of) => ({
      id: randomUUID(),
      of,
      key: of.idempotency_key === null ? null : keyOf(of.name),
      state: 'queued',
      attempt: 0,
      fences: [],
      leaseEndsAt: 0,
      journal: journalOf(of),
    }));
  }

  find(id: string | null): PlayedItem | null {
    return this.all.find((one) => one.id === id) ?? null;
  }

  named(name: string): PlayedItem | null {
    return this.all.find(({ of }) => of.name === name) ?? null;
  }

  /** Leases the items that a claim gets now. */
  claim(request: ClaimRequest): readonly PlayedItem[] {
    const { claimId, isRepeated, itemsMax } = request;
    const before = isRepeated && claimId !== null ? (this.#claims.get(claimId) ?? []) : [];
    const held = before.filter(({ state }) => state === 'leased');
    if (held.length > 0) return held.map((item) => this.#extend(item));
    const got = this.all
      .filter((item) => this.#isClaimable(item, request))
      .slice(0, itemsMax)
      .map((item) => this.#lease(item));
    if (claimId !== null && got.length > 0) this.#claims.set(claimId, got);
    return got;
  }

  /** The lease is over, and the worker does not know it. */
  takeBack(item: PlayedItem, mode: 'again' | 'ended'): void {
    item.state = mode === 'again' ? 'queued' : 'ended';
    item.attempt += 1;
  }

  /** Ends leases without a heartbeat in time. */
  endLapsed(): void {
    for (const item of this.all) {
      if (item.state !== 'leased' || performance.now() <= item.leaseEndsAt) continue;
      this.lapsed.add(item.of.name);
      this.takeBack(item, 'ended');
    }
  }

  /** Serves a call about an item. */
  serve(kind: string, item: PlayedItem | null, body: Readonly<Record<string, unknown>>): Served {
    this.endLapsed();
    if (item === null) return { status: 404, body: { error: 'not found: no such work item' } };
    const { lease_fence: fence } = body;
    if (item.state !== 'leased' || (fence !== undefined && fence !== item.fences.at(-1))) {
      return conflict(kind, item);
    }
    return this.#serveHeld(kind, item, body);
  }

  #serveHeld(kind: string, item: PlayedItem, body: Readonly<Record<string, unknown>>): Served {
    const { id } = item;
    switch (kind) {
      case 'heartbeat':
        this.#extend(item);
        return ok({ renewed: true, work_item_id: id, lease_expires_at: expiryOf(item) });
      case 'complete': {
        const fault = faultOfComplete(item, body);
        if (fault !== null) return { status: 400, body: { error: `bad request: ${fault}` } };
        return this.#end(item, { completed: true, work_item_id: id });
      }
      case 'fail':
        if (typeof body['error'] !== 'string') {
          return { status: 400, body: { error: 'bad request: error must be text' } };
        }
        return this.#end(item, {
          failed: true,
          work_item_id: id,
          retryable: false,
          attempt: item.attempt,
        });
      case 'release':
        return this.#end(item, { released: true, work_item_id: id });
      case 'suspend':
        return this.#end(item, { suspended: true, work_item_id: id });
      case 'continue':
        return this.#end(item, { continued: true, work_item_id: id });
      case 'steps':
        item.journal = [...item.journal, ...arrayOf(body['entries'])];
        return ok({ recorded: true, work_item_id: id, length: item.journal.length });
      default:
        return { status: 404, body: { error: `not found: ${kind}` } };
    }
  }

  #end(item: PlayedItem, body: Served['body']): Served {
    item.state = 'ended';
    return ok(body);
  }

  #isClaimable({ state, of }: PlayedItem, { queueTypes, tools }: ClaimRequest): boolean {
    if (state !== 'queued' || !queueTypes.includes(of.queue_type ?? 'python_tool')) return false;
    if (of.after !== undefined) {
      const time = this.#log.timeOf(of.after);
      if (time === null || performance.now() < time) return false;
    }
    return (
      tools === null ||
      of.ignores_tools === true ||
      tools.some((glob) => matchesGlob(glob, of.tool))
    );
  }

  #lease(item: PlayedItem): PlayedItem {
    item.state = 'leased';
    this.#fence += 1;
    item.fences.push(this.#fence);
    this.#log.addLease(item.of.name);
    return this.#extend(item);
  }

  #extend(item: PlayedItem): PlayedItem {
    item.leaseEndsAt = performance.now() + (item.of.lease_ms ?? LEASE_MS);
    return item;
  }
}

/** An item as the answer to a claim has it. */
export function shapeItem(item: PlayedItem): Readonly<Record<string, unknown>> {
  const { of, id, key, attempt, fences, journal } = item;
  const { queue_type: queueType = 'python_tool', heartbeat_interval_ms: everyMs = HEARTBEAT_MS } =
    of;
  return applyMembers(
    {
      id,
      execution_id: `exec_${id.replaceAll('-', '')}`,
      node_id: of.name,
      queue_type: queueType,
      payload: {
        workflow_id: 'check',
        workflow_version: '1.0.0',
        node_id: of.name,
        ...nameIn(queueType, of.tool),
        input: of.input,
      },
      attempt,
      lease_fence: fences.at(-1),
      idempotency_key: key,
      lease_expires_at: expiryOf(item),
      heartbeat_interval_ms: everyMs,
      max_attempts: 3,
      ...(queueType === 'function' && {
        turn: 0,
        mode: 'run',
        cancel_requested: false,
        journal: { entries: journal, length: journal.length, next: null },
      }),
    },
    { ...of.with, ...(key === null && { idempotency_key: null }) },
  );
}

/** Adds members, or replaces them; null removes one. */
export function applyMembers(
  to: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries({ ...to, ...members }).filter(([, value]) => value !== null),
  );
}

function nameIn(queueType: string, tool: string): object {
  if (queueType === 'function') return { function: tool };
  const dot = tool.lastIndexOf('.');
  return { module: tool.slice(0, dot), function: tool.slice(dot + 1) };
}

function journalOf({ with: members = {} }: CaseItem): readonly unknown[] {
  const { journal } = members;
  const entries = (journal as { readonly entries?: unknown } | undefined)?.entries;
  return arrayOf(entries);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

function expiryOf({ leaseEndsAt }: PlayedItem): string {
  return new Date(Date.now() + leaseEndsAt - performance.now()).toISOString();
}

function faultOfComplete(
  item: PlayedItem,
  { output, state_patch: patch, idempotency_key: key }: Readonly<Record<string, unknown>>,
): string | null {
  if (!isObject(output)) return 'output must be an object';
  if (!isObject(patch)) return 'state_patch must be an object';
  if (key !== undefined && key !== item.key) return 'idempotency_key is not that of the item';
  return null;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ok(body: Served['body']): Served {
  return { status: 200, body };
}

const SAYS_NO: Readonly<Record<string, string>> = {
  heartbeat: 'renewed',
  complete: 'completed',
  fail: 'failed',
  release: 'released',
  steps: 'recorded',
  suspend: 'suspended',
  continue: 'continued',
};

function conflict(kind: string, { id, state }: PlayedItem): Served {
  const reason = state === 'ended' ? 'already settled' : 'stale_fence';
  const member = SAYS_NO[kind];
  return {
    status: 409,
    body: {
      error: 'conflict: the lease is lost',
      ...(member !== undefined && { [member]: false }),
      work_item_id: id,
      reason,
    },
  };
}
