import { isMemoryTier, type MemoryTier } from '../../domain/memory/tiers.ts';
import { READING_BOUNDS, type ClusterReading } from '../../store/readings/cluster-reading.ts';
import type { DiagnosisStore } from '../../store/readings/diagnosis.ts';
import type { RoundResult } from './round-result.ts';

/** The scheduler loop's figures of the whole cluster, kept for scrapes of this process. */
export interface ClusterWatch {
  round(): Promise<RoundResult>;
  /** Null: not read here lately, because another process does it. */
  latest(): WatchedCluster | null;
}

export interface WatchedCluster extends ClusterReading {
  readonly ageMs: number;
  /** Used share of the tenant that has used most of its quota of facts, from 0. */
  readonly memoryUseMax: number;
}

/** Older readings are not told: by then another process has the duty, or the database is away. */
export const READING_MS_MAX = 150_000;

export function createClusterWatch(deps: {
  readonly diagnosis: Pick<DiagnosisStore, 'clusterReading'>;
  readonly quotas: Readonly<Record<MemoryTier, number>>;
  readonly defaultTier: MemoryTier;
  /** Milliseconds, never going back. */
  readonly now: () => number;
}): ClusterWatch {
  const { diagnosis, quotas, defaultTier, now } = deps;
  let kept: { readonly reading: ClusterReading; readonly readAt: number } | null = null;
  return {
    async round() {
      kept = { reading: await diagnosis.clusterReading(READING_BOUNDS), readAt: now() };
      return { found: 0, more: false };
    },
    latest() {
      if (kept === null) return null;
      const ageMs = now() - kept.readAt;
      if (ageMs > READING_MS_MAX) return null;
      const uses = kept.reading.memory.map(
        ({ tier, addedMax }) => addedMax / quotas[isMemoryTier(tier) ? tier : defaultTier],
      );
      return { ...kept.reading, ageMs, memoryUseMax: Math.max(0, ...uses) };
    },
  };
}
