import type { CandidateList } from '../../../shared/domain/memory/candidates.ts';
import { scanVectors as scan, type VectorScan } from '../../../shared/domain/memory/scan.ts';
import { announceStart } from './announce-start.ts';

/** A scan over so many vectors that it would hold up everything else. */
export const scanVectors = announceStart((task: VectorScan): CandidateList => scan(task));
