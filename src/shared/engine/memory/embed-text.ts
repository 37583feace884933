import { badRequest } from '../../domain/errors.ts';
import { embeddingFailed, embeddingRateLimited, keyInvalid } from '../../domain/memory/errors.ts';
import { toUnitVector, type UnitVector } from '../../domain/memory/vector.ts';
import type { Embedder } from '../../ports/embedder.ts';

/** The vector of a text, or the error that tells the caller what the provider made of it. */
export async function embedText(
  embedder: Embedder,
  params: { readonly apiKey: string; readonly text: string; readonly field: string },
): Promise<UnitVector> {
  const { apiKey, text, field } = params;
  const embedding = await embedder.embed({ apiKey, text });
  if (embedding.ok) {
    const vector = toUnitVector(embedding.values);
    if (vector === null) throw embeddingFailed('gave an answer that is no embedding');
    return vector;
  }
  switch (embedding.reason) {
    case 'key_invalid':
      throw keyInvalid('is not accepted by the provider');
    case 'text_refused':
      throw badRequest(
        `${field} is not accepted by the embedding provider: it may be too long, or its model not open to this key`,
      );
    case 'rate_limited':
      throw embeddingRateLimited(embedding.retryAfterSeconds);
    case 'unavailable':
      throw embeddingFailed(embedding.detail);
  }
}
