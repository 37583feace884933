import { randomBytes } from 'node:crypto';

import { createOpenAiEmbedder, EMBEDDING_MS_MAX } from '../shared/clients/openai-embedder.ts';
import type { Config } from '../shared/config/config.ts';
import type { DatabaseLocation } from '../shared/config/database-url.ts';
import { MEMORY_QUOTAS } from '../shared/domain/memory/tiers.ts';
import type { MemoryDeps } from '../shared/engine/memory/deps.ts';
import { createVectorIndex } from '../shared/engine/memory/vector-index.ts';
import type { VectorScanner } from '../shared/ports/vector-scanner.ts';
import { createSecretBox } from '../shared/security/secret-box.ts';
import type { Store } from '../shared/store/store.ts';
import type { Metrics } from '../shared/telemetry/metrics.ts';
import { readEncryptionKeys } from './encryption-keys.ts';
import { ids } from './ids.ts';

const MIB = 1024 * 1024;

/** Hosted vector memory of this process. */
export function bootMemory(params: {
  readonly config: Config;
  readonly database: DatabaseLocation;
  readonly store: Store;
  readonly scanner: VectorScanner;
  readonly metrics: Metrics;
  readonly opened: AsyncDisposableStack;
}): MemoryDeps {
  const { config, database, store, scanner, metrics, opened } = params;
  const index = createVectorIndex({
    store: store.memory,
    scanner,
    bytesMax: config.memory.indexMibMax * MIB,
    now: () => performance.now(),
  });
  opened.defer(() => index.close());
  metrics.readGauge('memory_index_bytes', () => [{ value: index.bytes() }]);
  const embedder = createOpenAiEmbedder({
    baseUrl: config.memory.embeddingBaseUrl,
    random: Math.random,
  });
  opened.defer(() => embedder.close());
  return {
    store: store.memory,
    embedder,
    secrets: createSecretBox({ keys: readEncryptionKeys({ config, database }), randomBytes }),
    index,
    ids,
    defaultTier: config.memory.defaultTier,
    quotas: MEMORY_QUOTAS,
    holdMs: EMBEDDING_MS_MAX * 2,
  };
}
