import { createSharedMemory, MEMORY_PAGE_BYTES } from '../../domain/memory/dot-kernel.ts';
import type { SharedMemory } from '../../domain/memory/dot-kernel.ts';
import { ROW_BYTES } from '../../domain/memory/scan.ts';
import { DIMENSIONS } from '../../domain/memory/vector.ts';

/** Few enough that a scope of one user wastes little, many enough that runs are long. */
export const BLOCK_ROWS = 32;
const BLOCK_BYTES = BLOCK_ROWS * ROW_BYTES;
const QUERY_BYTES = DIMENSIONS * 2;
const QUERY_PLACES = Math.floor(MEMORY_PAGE_BYTES / QUERY_BYTES);

/**
 * Blocks of one memory that other threads see too. It grows as blocks are taken, up to `bytesMax`,
 * and is let go as a whole when the last block has come back: such a memory cannot shrink.
 */
export interface BlockArena {
  /** Offset of a block, or null when all that there may be are taken. */
  take(): number | null;
  /** Where a query's codes may be written while `use` runs; waits while all places are in use. */
  withQueryPlace<Result>(use: (place: number) => Promise<Result>): Promise<Result>;
  giveBack(block: number): void;
  memory(): SharedMemory;
  /** Over all of the memory as it is now. */
  view(): DataView<SharedArrayBuffer>;
  bytes(): number;
}

export function createBlockArena(params: { readonly bytesMax: number }): BlockArena {
  const maximum = Math.max(2, Math.floor(params.bytesMax / MEMORY_PAGE_BYTES));
  let memory: SharedMemory | null = null;
  let view: DataView<SharedArrayBuffer> | null = null;
  let free: number[] = [];
  let taken = 0;
  /** Where blocks have never been yet; the first page is for queries. */
  let end = MEMORY_PAGE_BYTES;
  const places = Array.from({ length: QUERY_PLACES }, (_, index) => index * QUERY_BYTES);
  const waiting: (() => void)[] = [];

  function current(): SharedMemory {
    memory ??= createSharedMemory({ initial: 1, maximum });
    return memory;
  }

  function extend(): number | null {
    const block = end;
    const needed = Math.ceil((block + BLOCK_BYTES) / MEMORY_PAGE_BYTES);
    if (needed > maximum) return null;
    const missing = needed - current().buffer.byteLength / MEMORY_PAGE_BYTES;
    if (missing > 0) {
      current().grow(missing);
      view = null;
    }
    end += BLOCK_BYTES;
    return block;
  }

  return {
    memory: current,
    bytes: () => memory?.buffer.byteLength ?? 0,
    view() {
      view ??= new DataView(current().buffer);
      return view;
    },
    take() {
      const block = free.pop() ?? extend();
      if (block !== null) taken += 1;
      return block;
    },
    async withQueryPlace(use) {
      while (places.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const place = places.pop() ?? 0;
      try {
        return await use(place);
      } finally {
        places.push(place);
        waiting.shift()?.();
      }
    },
    giveBack(block) {
      free.push(block);
      taken -= 1;
      if (taken > 0) return;
      memory = null;
      view = null;
      free = [];
      end = MEMORY_PAGE_BYTES;
    },
  };
}
