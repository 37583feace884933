import type { CandidateList } from '../domain/memory/candidates.ts';
import type { VectorScan } from '../domain/memory/scan.ts';
import type { CpuCaller } from './cpu.ts';

/** Where a scan over many vectors is carried out so that it holds nobody up. */
export interface VectorScanner {
  scanVectors(scan: VectorScan, caller: CpuCaller): Promise<CandidateList>;
}
