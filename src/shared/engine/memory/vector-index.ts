import type { TenantId } from '../../domain/ids.ts';
import { createCandidates, type CandidateList } from '../../domain/memory/candidates.ts';
import type { Scope } from '../../domain/memory/fact.ts';
import { scanVectors, type VectorScan } from '../../domain/memory/scan.ts';
import { sketchQuery, type QuerySketch } from '../../domain/memory/sketch.ts';
import { DIMENSIONS, type UnitVector } from '../../domain/memory/vector.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { VectorScanner } from '../../ports/vector-scanner.ts';
import type { MemoryStore } from '../../store/memory.ts';
import { createBlockArena } from './block-arena.ts';
import { createScopeRows, type ScopeRows } from './scope-rows.ts';
import { streamScan } from './stream-scan.ts';

/*
 * Keeps the sketches of the scopes that are being asked, within a bound, and finds the facts that
 * may be the nearest.
 *
 * Each search first reads the changes of its scopes since the last one, from the store, so it sees
 * whatever was committed before it began, by any process. Scopes go when others need the room, the
 * one least lately asked first, or when nobody has asked for a while. A scope that is being searched
 * stays. A scope that does not fit at all is read from the store for every search.
 */
export interface VectorIndex {
  search(params: {
    readonly tenantId: TenantId;
    readonly scopes: readonly Scope[];
    /** May still be on its way: the changes are read meanwhile. */
    readonly query: UnitVector | Promise<UnitVector>;
    readonly k: number;
  }): Promise<CandidateList>;
  /** Memory that is held. */
  bytes(): number;
  close(): void;
}

export function createVectorIndex(params: {
  readonly store: MemoryStore;
  readonly scanner: VectorScanner;
  readonly bytesMax: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): VectorIndex {
  const { store, scanner, now } = params;
  const arena = createBlockArena(params);
  /** Least lately asked first. */
  const entries = new Map<string, Entry>();
  const sweeper = setInterval(sweep, IDLE_MS / 10);
  sweeper.unref();

  function pin(tenantId: TenantId, scope: Scope): Entry {
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
    if (entry.pins === 0 && now() - (entry.tooLargeSince ?? 0) > IDLE_MS)
      entry.tooLargeSince = null;
    entry.pins += 1;
    entry.askedAt = now();
    return entry;
  }

  function unpin(entry: Entry): void {
    entry.pins -= 1;
    if (entry.pins > 0) return;
    if (isTooLarge(entry)) entry.rows.clear();
    else if (entry.rows.rows() === 0) drop(entry);
  }

  function drop(entry: Entry): void {
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
    const since = now() - IDLE_MS;
    for (const entry of entries.values()) {
      if (entry.pins === 0 && entry.askedAt <= since) drop(entry);
    }
  }

  /** A reading that began earlier may have missed what the caller must see; one that waits has not. */
  function bringUpToDate(entry: Entry): Promise<void> {
    if (entry.running === null) {
      entry.running = readChanges(entry).finally(() => {
        entry.running = null;
      });
      return entry.running;
    }
    entry.next ??= entry.running
      .catch(() => undefined)
      .then(() => {
        entry.next = null;
        return bringUpToDate(entry);
      });
    return entry.next;
  }

  async function readChanges(entry: Entry): Promise<void> {
    const { tenantId, scope, rows } = entry;
    if (isTooLarge(entry)) return;
    for (;;) {
      const changes = await store.listChanges({
        tenantId,
        scope,
        after: rows.upTo(),
        limit: PAGE_ROWS,
      });
      for (const change of changes) {
        while (!rows.apply(change)) {
          if (dropLeastAsked()) continue;
          entry.tooLargeSince = now();
          return;
        }
      }
      if (changes.length < PAGE_ROWS) return;
    }
  }

  async function scanKept(
    kept: readonly Entry[],
    given: { readonly query: QuerySketch; readonly k: number; readonly caller: CpuCaller },
  ): Promise<CandidateList> {
    const { query, k, caller } = given;
    if (kept.length === 0) return createCandidates(k).take();
    const rows = kept.reduce((sum, entry) => sum + entry.rows.rows(), 0);
    return arena.withQueryPlace(async (queryAt) => {
      const memory = arena.memory();
      new Int16Array(memory.buffer, queryAt, DIMENSIONS).set(query.codes);
      const scan: VectorScan = {
        memory,
        queryAt,
        queryScale: query.scale,
        queryError: query.error,
        runs: Float64Array.from(kept.flatMap((entry) => entry.rows.runs()).flat()),
        k,
      };
      return rows <= INLINE_ROWS_MAX ? scanVectors(scan) : scanner.scanVectors(scan, caller);
    });
  }

  return {
    async search({ tenantId, scopes, query, k }) {
      const pinned = scopes.map((scope) => pin(tenantId, scope));
      try {
        const readings = pinned.map(bringUpToDate);
        // Not before all have ended: a scope must stay while its rows are being written.
        await Promise.allSettled([query, ...readings]);
        await Promise.all(readings);
        const sketch = sketchQuery(await query);
        const large = pinned.filter(isTooLarge);
        const kept = pinned.filter((entry) => !large.includes(entry) && entry.rows.rows() > 0);
        const list = await scanKept(kept, {
          query: sketch,
          k,
          caller: { tenantId, signal: null, whenBusy: 'refused' },
        });
        if (large.length === 0) return list;
        const candidates = createCandidates(k);
        list.ordinals.forEach((ordinal, index) => {
          candidates.add(ordinal, {
            floor: list.floors[index] ?? 0,
            ceiling: list.ceilings[index] ?? 0,
          });
        });
        for (const { scope } of large) {
          await streamScan(store, { tenantId, scope, query: sketch, candidates });
        }
        return candidates.take();
      } finally {
        for (const entry of pinned) unpin(entry);
      }
    },
    bytes: () => arena.bytes(),
    close: () => clearInterval(sweeper),
  };
}

interface Entry {
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

function isTooLarge(entry: Entry): boolean {
  return entry.tooLargeSince !== null;
}

const PAGE_ROWS = 1000;
const IDLE_MS = 10 * 60_000;
/** About a millisecond: less than the way to a thread and back would gain. */
const INLINE_ROWS_MAX = 2000;
