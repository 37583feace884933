import type { TenantId } from '../../domain/ids.ts';
import {
  createCandidates,
  type CandidateList,
  type Candidates,
} from '../../domain/memory/candidates.ts';
import type { Scope } from '../../domain/memory/fact.ts';
import { scanVectors, type VectorScan } from '../../domain/memory/scan.ts';
import { sketchQuery, type QuerySketch } from '../../domain/memory/sketch.ts';
import { DIMENSIONS, type UnitVector } from '../../domain/memory/vector.ts';
import type { VectorScanner } from '../../ports/vector-scanner.ts';
import type { MemoryStore } from '../../store/memory.ts';
import { createBlockArena, type BlockArena } from './block-arena.ts';
import { createKeptScopes, isTooLarge, type KeptScope } from './kept-scopes.ts';
import { streamScan } from './stream-scan.ts';

/*
 * Keeps the sketches of the scopes in use, within a bound, and finds the facts that may be the
 * nearest.
 *
 * Each search first reads the changes of its scopes since the last one, from the store. So it sees
 * every change that any process committed before it began. A scope that does not fit at all is read
 * from the store for every search.
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
  const { store, scanner } = params;
  const arena = createBlockArena(params);
  const scopesKept = createKeptScopes({ store, arena, now: params.now, idleMs: IDLE_MS });
  const sweeper = setInterval(() => scopesKept.sweep(), IDLE_MS / 10);
  sweeper.unref();

  return {
    async search({ tenantId, scopes, query, k }) {
      const pinned = scopes.map((scope) => scopesKept.pin(tenantId, scope));
      try {
        const readings = pinned.map((kept) => scopesKept.bringUpToDate(kept));
        // Not before all have ended: a scope must stay while its rows are being written.
        await Promise.allSettled([query, ...readings]);
        await Promise.all(readings);
        const sketch = sketchQuery(await query);
        const large = pinned.filter(isTooLarge);
        const kept = pinned.filter((entry) => !large.includes(entry) && entry.rows.rows() > 0);
        const list = await scanKept(kept, { arena, scanner, tenantId, query: sketch, k });
        if (large.length === 0) return list;
        const candidates = copyCandidates(list, k);
        for (const { scope } of large) {
          await streamScan(store, { tenantId, scope, query: sketch, candidates });
        }
        return candidates.take();
      } finally {
        for (const entry of pinned) scopesKept.unpin(entry);
      }
    },
    bytes: () => arena.bytes(),
    close: () => clearInterval(sweeper),
  };
}

async function scanKept(
  kept: readonly KeptScope[],
  by: {
    readonly arena: BlockArena;
    readonly scanner: VectorScanner;
    readonly tenantId: TenantId;
    readonly query: QuerySketch;
    readonly k: number;
  },
): Promise<CandidateList> {
  const { arena, scanner, tenantId, query, k } = by;
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
    if (rows <= INLINE_ROWS_MAX) return scanVectors(scan);
    return scanner.scanVectors(scan, { tenantId, signal: null, whenBusy: 'refused' });
  });
}

function copyCandidates({ ordinals, floors, ceilings }: CandidateList, k: number): Candidates {
  const candidates = createCandidates(k);
  ordinals.forEach((ordinal, index) => {
    candidates.add(ordinal, { floor: floors[index] ?? 0, ceiling: ceilings[index] ?? 0 });
  });
  return candidates;
}

const IDLE_MS = 10 * 60_000;
/** About a millisecond: less than the way to a thread and back would gain. */
const INLINE_ROWS_MAX = 2000;
