import { FORGOTTEN_AT, ORDINAL_AT, ROW_BYTES } from '../../domain/memory/scan.ts';
import type { FactChange } from '../../store/memory.ts';
import { BLOCK_ROWS, type BlockArena } from './block-arena.ts';

/**
 * The sketches of one scope's facts, in the order of their numbers, as of one change. A fact that is
 * forgotten keeps its row and is marked.
 */
export interface ScopeRows {
  /** The last change that is in the rows. */
  upTo(): number;
  rows(): number;
  /** False when there is no block left for a new fact; nothing of this change is kept then. */
  apply(change: FactChange): boolean;
  /** Offset and number of rows of each run. */
  runs(): readonly (readonly [number, number])[];
  clear(): void;
}

export function createScopeRows(arena: BlockArena): ScopeRows {
  let blocks: number[] = [];
  let rows = 0;
  let upTo = 0;

  function offsetOf(row: number): number {
    return (blocks[Math.floor(row / BLOCK_ROWS)] ?? 0) + (row % BLOCK_ROWS) * ROW_BYTES;
  }

  function append(ordinal: number, sketch: Uint8Array): boolean {
    if (rows === blocks.length * BLOCK_ROWS) {
      const block = arena.take();
      if (block === null) return false;
      blocks.push(block);
    }
    const offset = offsetOf(rows);
    const view = arena.view();
    new Uint8Array(view.buffer, offset, sketch.length).set(sketch);
    view.setUint32(offset + ORDINAL_AT, ordinal, true);
    view.setUint32(offset + FORGOTTEN_AT, 0, true);
    rows += 1;
    return true;
  }

  /** By halving: rows stand in the order of their facts' numbers. */
  function mark(ordinal: number): void {
    const view = arena.view();
    let from = 0;
    let to = rows;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (view.getUint32(offsetOf(middle) + ORDINAL_AT, true) < ordinal) from = middle + 1;
      else to = middle;
    }
    if (from >= rows || view.getUint32(offsetOf(from) + ORDINAL_AT, true) !== ordinal) return;
    view.setUint32(offsetOf(from) + FORGOTTEN_AT, 1, true);
  }

  return {
    upTo: () => upTo,
    rows: () => rows,
    apply({ change, ordinal, sketch }) {
      if (sketch === null) mark(ordinal);
      else if (!append(ordinal, sketch)) return false;
      upTo = change;
      return true;
    },
    runs: () =>
      blocks.map((block, index) => [block, Math.min(BLOCK_ROWS, rows - index * BLOCK_ROWS)]),
    clear() {
      for (const block of blocks) arena.giveBack(block);
      blocks = [];
      rows = 0;
      upTo = 0;
    },
  };
}
