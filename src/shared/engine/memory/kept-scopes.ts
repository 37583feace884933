import type { TenantId } from '../../domain/ids.ts';
import type { Scope } from '../../domain/memory/fact.ts';
import type { MemoryStore } from '../../store/memory.ts';
import type { BlockArena } from './block-arena.ts';
import { createScopeRows, type ScopeRows } from './scope-rows.ts';

/*
 * The scopes whose sketches are kept. Scopes go when others need the room, the one least lately asked
 * first, or when nobody has asked for a while. A scope that is pinned, since it is being searched,
 * stays.
 */
export interface KeptScopes {
  pin(tenantId: TenantId, scope: Scope): KeptScope;
  unpin(kept: KeptScope): void;
  /** Reads what has been committed to the scope before the call. */
  bringUpToDate(kept: KeptScope): Promise<void>;
  /** Lets go of those that nobody has asked for. */
  sweep(): void;
}

export interface KeptScope {
  readonly key: string;
  readonly tenantId: TenantId;
  readonly scope: Scope;
  readonly rows: ScopeRows;
  /** Searches that use the rows now. */
  pins: number;
  askedAt: number;
  /** When there was no room for all of its rows; null: they are kept. */
  tooLargeSince: number | null;
  running: Promise<void> | null;
  next: Promise<void> | null;
}

export function isTooLarge(entry: KeptScope): boolean {
  return entry.tooLargeSince !== null;
}

export function createKeptScopes(params: {
  readonly store: Pick<MemoryStore, 'listChanges'>;
  readonly arena: BlockArena;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** So long a scope stays that nobody asks for. */
  readonly idleMs: number;
}): KeptScopes {
  const { store, arena, now, idleMs } = params;
  /** Least lately asked first. */
  const entries = new Map<string, KeptScope>();

  function pin(tenantId: TenantId, scope: Scope): KeptScope {
    const key = JSON.stringify([tenantId, scope.agentId, scope.endUserId]);
    const entry = entries.get(key) ?? {
      key,
      tenantId,
      scope,
      rows: createScopeRows(arena),
      pins: 0,
      askedAt: 0,
      tooLargeSince: null,
      running: null,
      next: null,
    };
    entries.delete(key);
    entries.set(key, entry);
    // Others may have left meanwhile. Never while it is searched, which must not meet half of it.
    if (entry.pins === 0 && now() - (entry.tooLargeSince ?? 0) > idleMs) entry.tooLargeSince = null;
    entry.pins += 1;
    entry.askedAt = now();
    return entry;
  }

  function unpin(entry: KeptScope): void {
    entry.pins -= 1;
    if (entry.pins > 0) return;
    if (isTooLarge(entry)) entry.rows.clear();
    else if (entry.rows.rows() === 0) drop(entry);
  }

  function drop(entry: KeptScope): void {
    entry.rows.clear();
    entries.delete(entry.key);
  }

  function dropLeastAsked(): boolean {
    const entry = entries.values().find(({ pins, rows }) => pins === 0 && rows.rows() > 0);
    if (entry === undefined) return false;
    drop(entry);
    return true;
  }

  function sweep(): void {
    const since = now() - idleMs;
    for (const entry of entries.values()) {
      if (entry.pins === 0 && entry.askedAt <= since) drop(entry);
    }
  }

  return {
    pin,
    unpin,
    sweep,
    bringUpToDate: (entry) => bringUpToDate(entry, { store, makeRoom: dropLeastAsked, now }),
  };
}

interface Reading {
  readonly store: Pick<MemoryStore, 'listChanges'>;
  /** False: nothing can go. */
  readonly makeRoom: () => boolean;
  readonly now: () => number;
}

/** A reading that began earlier may have missed what the caller must see; one that waits has not. */
function bringUpToDate(entry: KeptScope, by: Reading): Promise<void> {
  if (entry.running === null) {
    entry.running = readChanges(entry, by).finally(() => {
      entry.running = null;
    });
    return entry.running;
  }
  entry.next ??= entry.running
    .catch(() => undefined)
    .then(() => {
      entry.next = null;
      return bringUpToDate(entry, by);
    });
  return entry.next;
}

async function readChanges(entry: KeptScope, by: Reading): Promise<void> {
  const { tenantId, scope, rows } = entry;
  if (isTooLarge(entry)) return;
  for (;;) {
    const changes = await by.store.listChanges({
      tenantId,
      scope,
      after: rows.upTo(),
      limit: PAGE_ROWS,
    });
    for (const change of changes) {
      while (!rows.apply(change)) {
        if (by.makeRoom()) continue;
        entry.tooLargeSince = by.now();
        return;
      }
    }
    if (changes.length < PAGE_ROWS) return;
  }
}

const PAGE_ROWS = 1000;
