import { createCandidates, type CandidateList, type Candidates } from './candidates.ts';
import { loadDotKernel, type SharedMemory } from './dot-kernel.ts';
import { ERROR_AT, errorBound, SCALE_AT, SKETCH_BYTES } from './sketch.ts';

/*
 * A row is a sketch, the number of its fact, and whether it still counts; rows stand in runs, one
 * after the other. A row is written once; only its mark changes, to 1 when its fact is forgotten.
 */
export const ROW_BYTES = SKETCH_BYTES + 8;
export const ORDINAL_AT = SKETCH_BYTES;
export const FORGOTTEN_AT = SKETCH_BYTES + 4;

/** Plain data but for the memory, which is shared: it may be carried out on any thread. */
export interface VectorScan {
  readonly memory: SharedMemory;
  /** Where the query's codes are. */
  readonly queryAt: number;
  readonly queryScale: number;
  readonly queryError: number;
  /** Offset and number of rows of each run, one after the other. */
  readonly runs: Float64Array;
  readonly k: number;
}

/** Compares the query with every row and keeps those that may be among the `k` nearest. */
export function scanVectors(scan: VectorScan): CandidateList {
  const candidates = createCandidates(scan.k);
  scanInto(candidates, scan);
  return candidates.take();
}

/** The same for a scan that comes in parts. */
export function scanInto(candidates: Candidates, scan: Omit<VectorScan, 'k'>): void {
  const { memory, queryAt, queryScale, queryError, runs } = scan;
  const dot = kernelOf(memory);
  const view = new DataView(memory.buffer);
  for (let run = 0; run < runs.length; run += 2) {
    const start = runs[run] ?? 0;
    const end = start + (runs[run + 1] ?? 0) * ROW_BYTES;
    for (let row = start; row < end; row += ROW_BYTES) {
      if (view.getUint32(row + FORGOTTEN_AT, true) !== 0) continue;
      const cosine = dot(row, queryAt) * view.getFloat32(row + SCALE_AT, true) * queryScale;
      const bound = errorBound(view.getFloat32(row + ERROR_AT, true), queryError);
      candidates.add(view.getUint32(row + ORDINAL_AT, true), {
        floor: cosine - bound,
        ceiling: cosine + bound,
      });
    }
  }
}

/** One instance for each memory and thread; a memory that was sent is a new object every time. */
const kernels = new WeakMap<SharedArrayBuffer, ReturnType<typeof loadDotKernel>>();

function kernelOf(memory: SharedMemory): ReturnType<typeof loadDotKernel> {
  const { buffer } = memory;
  const kernel = kernels.get(buffer) ?? loadDotKernel(memory);
  kernels.set(buffer, kernel);
  return kernel;
}
