import type { TenantId } from '../../domain/ids.ts';
import type { Candidates } from '../../domain/memory/candidates.ts';
import { createSharedMemory, MEMORY_PAGE_BYTES } from '../../domain/memory/dot-kernel.ts';
import type { Scope } from '../../domain/memory/fact.ts';
import { ORDINAL_AT, ROW_BYTES, scanInto } from '../../domain/memory/scan.ts';
import type { QuerySketch } from '../../domain/memory/sketch.ts';
import { DIMENSIONS } from '../../domain/memory/vector.ts';
import type { MemoryStore } from '../../store/memory.ts';

/**
 * Scans a scope that is too large to be kept: its sketches are read from the store, a page at a time,
 * and dropped again. Slow, but as exact as any other scan, and the memory it takes is bounded.
 */
export async function streamScan(
  store: MemoryStore,
  params: {
    readonly tenantId: TenantId;
    readonly scope: Scope;
    readonly query: QuerySketch;
    readonly candidates: Candidates;
  },
): Promise<void> {
  const { tenantId, scope, query, candidates } = params;
  const pages = Math.ceil((ROWS_AT + PAGE_ROWS * ROW_BYTES) / MEMORY_PAGE_BYTES);
  const memory = createSharedMemory({ initial: pages, maximum: pages });
  const view = new DataView(memory.buffer);
  new Int16Array(memory.buffer, 0, DIMENSIONS).set(query.codes);
  let after = 0;
  for (;;) {
    const changes = await store.listChanges({ tenantId, scope, after, limit: PAGE_ROWS });
    let rows = 0;
    // A fact forgotten after its page was read is left out when the candidates' vectors are read.
    for (const { ordinal, sketch } of changes) {
      if (sketch === null) continue;
      const offset = ROWS_AT + rows * ROW_BYTES;
      new Uint8Array(memory.buffer, offset, sketch.length).set(sketch);
      view.setUint32(offset + ORDINAL_AT, ordinal, true);
      rows += 1;
    }
    scanInto(candidates, {
      memory,
      queryAt: 0,
      queryScale: query.scale,
      queryError: query.error,
      runs: Float64Array.of(ROWS_AT, rows),
    });
    if (changes.length < PAGE_ROWS) return;
    after = changes.at(-1)?.change ?? after;
  }
}

const PAGE_ROWS = 1000;
const ROWS_AT = DIMENSIONS * 2;
