import type { CandidateList } from '../../../shared/domain/memory/candidates.ts';
import { scanVectors as scan, type VectorScan } from '../../../shared/domain/memory/scan.ts';

/** A scan over so many vectors that it would hold up everything else. */
export function scanVectors(task: VectorScan): CandidateList {
  return scan(task);
}
