import { randomBytes } from 'node:crypto';

import { createCpu } from '../../src/scheduler/pool/pool.ts';
import { createIds } from '../../src/shared/clients/system-ids.ts';
import { DEFAULT_TENANT } from '../../src/shared/domain/ids.ts';
import { MEMORY_QUOTAS } from '../../src/shared/domain/memory/tiers.ts';
import type { MemoryDeps } from '../../src/shared/engine/memory/deps.ts';
import { recallFacts } from '../../src/shared/engine/memory/recall-facts.ts';
import { saveMemorySettings } from '../../src/shared/engine/memory/save-memory-settings.ts';
import { createVectorIndex } from '../../src/shared/engine/memory/vector-index.ts';
import { createSecretBox } from '../../src/shared/security/secret-box.ts';
import { openStore } from '../../src/shared/store/opening/open.ts';
import type { BenchDatabase, Dialect } from '../support/databases.ts';
import {
  createRecallQueries,
  RECALLED_FACTS,
  seedInOtherProcess,
} from '../support/recall-facts.ts';

const MIB = 1024 * 1024;

export interface RecallFigures {
  /** The first recall, which reads the sketches of all facts. */
  readonly coldMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /**
   * Processor time of a recall over all threads, which other load on the machine changes little.
   */
  readonly cpuMs: number;
  readonly indexMiB: number;
  readonly rssMiB: number;
}

/**
 * Recalls over one scope with all its facts, as a process does them: changes from the store, the
 * scan, the vectors of the candidates, the facts. A fake replaces the provider and takes no time.
 * The run compares some recalls with an exhaustive search, and ends when they differ.
 */
export async function runRecall(params: {
  readonly dialect: Dialect;
  readonly database: Pick<BenchDatabase, 'url'>;
  readonly facts: number;
  readonly recalls: number;
  readonly inFlight: number;
  readonly onRecall?: (ms: number) => void;
  /** Called with the measured part alone; seeding and the exhaustive search precede it. */
  readonly measured?: (run: () => Promise<void>) => Promise<void>;
}): Promise<RecallFigures> {
  const { dialect, database, facts, recalls, inFlight, measured = (run) => run() } = params;
  const { queries } = createRecallQueries();
  const expected = await seedInOtherProcess({ dialect, database, facts });

  const store = await openStore({
    database:
      dialect === 'sqlite'
        ? { dialect, path: database.url }
        : { dialect, url: database.url, poolSize: 10, maxOverflow: 0 },
    applicationName: 'svc-bench',
  });
  const cpu = createCpu({ threads: 2 });
  const now = () => performance.now();
  const index = createVectorIndex({ store: store.memory, scanner: cpu, bytesMax: 512 * MIB, now });
  const key = randomBytes(32);
  const memory: MemoryDeps = {
    store: store.memory,
    embedder: {
      embed: async ({ text }) => ({ ok: true, values: [...(queries[Number(text)] ?? [])] }),
    },
    secrets: createSecretBox({ keys: { all: () => [key], newest: () => key }, randomBytes }),
    index,
    ids: createIds({ now: Date.now, randomBytes }),
    defaultTier: 'enterprise',
    quotas: MEMORY_QUOTAS,
    holdMs: 1_000,
  };
  const caller = { tenantId: DEFAULT_TENANT, actorId: 'token:bench' };
  await saveMemorySettings(memory, caller, { provider: 'openai', apiKey: 'sk', enabled: true });
  const recall = async (query: number) => {
    const scope = { agentId: null, endUserId: null };
    const began = performance.now();
    const found = await recallFacts(memory, caller, {
      ...scope,
      query: String(query),
      k: RECALLED_FACTS,
    });
    return { found, ms: performance.now() - began };
  };
  const { ms: coldMs } = await recall(0);
  for (const [query, contents] of expected.entries()) {
    const { found } = await recall(query);
    const same = found.every(({ content }, place) => content === contents[place]);
    if (!same || found.length !== contents.length) throw new Error(`recall ${query} is not exact`);
  }
  const cpuBefore = process.cpuUsage();
  const latencies: number[] = [];
  let begun = 0;
  const lane = async (): Promise<void> => {
    while (begun < recalls) {
      const { ms } = await recall((begun += 1) % queries.length);
      latencies.push(ms);
      params.onRecall?.(ms);
    }
  };
  await measured(async () => void (await Promise.all(Array.from({ length: inFlight }, lane))));
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = (user + system) / 1000 / latencies.length;
  const figures = { indexMiB: index.bytes() / MIB, rssMiB: process.memoryUsage().rss / MIB };
  index.close();
  await cpu.close();
  await store.close();
  const sorted = latencies.toSorted((left, right) => left - right);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const [p50Ms, p95Ms, p99Ms] = [quantile(0.5), quantile(0.95), quantile(0.99)];
  return { coldMs, p50Ms, p95Ms, p99Ms, cpuMs, ...figures };
}
