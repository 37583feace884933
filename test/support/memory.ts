import { randomBytes } from 'node:crypto';

import { createOpenAiEmbedder } from '../../src/shared/clients/openai-embedder.ts';
import { scanVectors } from '../../src/shared/domain/memory/scan.ts';
import { MEMORY_QUOTAS, type MemoryTier } from '../../src/shared/domain/memory/tiers.ts';
import type { MemoryDeps } from '../../src/shared/engine/memory/deps.ts';
import { createVectorIndex } from '../../src/shared/engine/memory/vector-index.ts';
import type { Ids } from '../../src/shared/ports/ids.ts';
import { createSecretBox } from '../../src/shared/security/secret-box.ts';
import type { MemoryStore } from '../../src/shared/store/memory.ts';

export interface TestMemory extends MemoryDeps {
  close(): Promise<void>;
}

/** Memory as in a process; without an address, nothing listens at its embedding provider. */
export function openTestMemory(params: {
  readonly store: MemoryStore;
  readonly ids: Ids;
  readonly embeddingBaseUrl?: string;
  readonly quotas?: Partial<Record<MemoryTier, number>>;
  /** Null: no key. */
  readonly encryptionKey?: Uint8Array | null;
}): TestMemory {
  const { store, ids, embeddingBaseUrl = 'http://127.0.0.1:1', quotas } = params;
  const embedder = createOpenAiEmbedder({
    baseUrl: embeddingBaseUrl,
    firstPauseMs: 1,
    random: Math.random,
  });
  const key = params.encryptionKey === undefined ? randomBytes(32) : params.encryptionKey;
  const keys = key === null ? [] : [key];
  const index = createVectorIndex({
    store,
    scanner: { scanVectors: async (scan) => scanVectors(scan) },
    bytesMax: 64 * 1024 * 1024,
    now: () => performance.now(),
  });
  return {
    store,
    embedder,
    secrets: createSecretBox({ keys: { all: () => keys, newest: () => key }, randomBytes }),
    index,
    ids,
    defaultTier: 'free',
    quotas: { ...MEMORY_QUOTAS, ...quotas },
    holdMs: 60_000,
    async close() {
      index.close();
      await embedder.close();
    },
  };
}
