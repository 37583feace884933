import { BoundedMap } from '../../shared/domain/bounded-map.ts';
import { limitExceeded } from '../../shared/domain/errors.ts';
import type { Tenant } from '../../shared/domain/tenant.ts';

/**
 * Holds tenants to their `requests_per_second`, each in a bucket that fills at that rate and holds
 * as much as one second gives. Every API process counts for itself, without asking anybody: behind
 * a load balancer over n processes a tenant gets up to n times its rate.
 */
export interface RateLimit {
  /** Throws the 429 of a tenant that is too fast. */
  check(tenant: Tenant): void;
}

/**
 * Past this many limited tenants, the oldest entry is dropped and begins again with a full bucket.
 */
export const BUCKETS_MAX = 10_000;

export function createRateLimit(deps: {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): RateLimit {
  const buckets = new BoundedMap<string, { left: number; at: number }>(BUCKETS_MAX);
  return {
    check({ tenantId, limits }) {
      const rate = limits.requests_per_second;
      if (rate === undefined) return;
      const now = deps.now();
      const bucket = buckets.get(tenantId) ?? add(tenantId, { left: rate, at: now });
      bucket.left = Math.min(rate, bucket.left + ((now - bucket.at) / 1_000) * rate);
      bucket.at = now;
      if (bucket.left >= 1) {
        bucket.left -= 1;
        return;
      }
      throw limitExceeded({
        limit: 'requests_per_second',
        max: rate,
        retryAfterSeconds: Math.ceil((1 - bucket.left) / rate),
        detail: `the tenant may send ${rate} requests per second`,
      });
    },
  };

  function add(tenantId: string, bucket: { left: number; at: number }) {
    buckets.set(tenantId, bucket);
    return bucket;
  }
}
