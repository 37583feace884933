import { SvcError } from '../errors.ts';

/**
 * The errors that the memory endpoints add: `{error, code}`, and `dimension` for the quota. No text
 * of the provider is ever part of one: it may quote the key.
 */

export function memoryDisabled(): SvcError {
  const detail = 'enable it with PATCH /v1/memory/settings';
  return new SvcError('memory_disabled', detail, { body: { code: 'memory_disabled' } });
}

export function keyMissing(): SvcError {
  const detail = 'no embedding key is configured, save one with POST /v1/memory/settings';
  return new SvcError('embedding_key_missing', detail, { body: { code: 'embedding_key_missing' } });
}

/** `why` continues "the embedding key". */
export function keyInvalid(why: string): SvcError {
  const detail = `the embedding key ${why}, save another with POST /v1/memory/settings`;
  return new SvcError('embedding_key_invalid', detail, { body: { code: 'embedding_key_invalid' } });
}

export function quotaExceeded(quota: number): SvcError {
  const detail =
    `all ${quota} facts of the tier have been added: ` +
    'an operator can give the limits of the tenant a larger memory_tier';
  return new SvcError('memory_quota_exceeded', detail, {
    body: { code: 'memory_quota_exceeded', dimension: 'memory' },
  });
}

export function embeddingRateLimited(retryAfterSeconds: number | null): SvcError {
  const seconds = retryAfterSeconds ?? 1;
  const detail = `the embedding provider takes no more for now, try again after ${seconds} s`;
  return new SvcError('embedding_rate_limited', detail, {
    headers: { 'Retry-After': String(seconds) },
    body: { code: 'embedding_rate_limited' },
  });
}

/** `why` continues "the embedding provider". */
export function embeddingFailed(why: string): SvcError {
  return new SvcError('embedding_failed', `the embedding provider ${why}, try again later`, {
    body: { code: 'embedding_failed' },
  });
}
