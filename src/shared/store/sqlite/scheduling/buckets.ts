import type { Bucket } from '../../../domain/work/quota.ts';
import type { Connection } from '../connection/connect.ts';

/** The bucket of a rate at this moment. A bucket without a row is full. */
export interface OpenBucket {
  /** Whole tokens that can be taken now. */
  readonly tokens: number;
  /** Takes as many; the answer is the time until the next token, 0 if there is one. */
  take(count: number): { readonly nextTokenMs: number };
}

export function openBucket(
  connection: Connection,
  bucket: Bucket & {
    /** Tokens that somebody has and did not use: the bucket has no room for them. */
    readonly unused?: number;
  },
): OpenBucket {
  const { key, intervalUs, burst, unused = 0 } = bucket;
  const nowUs = Math.floor(connection.now() * 1_000);
  const row = connection.get<{ readonly full_at_us: number }>(
    'select full_at_us from quota_buckets where bucket_key = ?',
    [key],
  );
  const fullAtUs = Math.max(nowUs + Math.min(unused, burst) * intervalUs, row?.full_at_us ?? nowUs);
  return {
    tokens: Math.floor((nowUs + burst * intervalUs - fullAtUs) / intervalUs),
    take(count) {
      const nextFullAtUs = fullAtUs + count * intervalUs;
      if (count > 0 || unused > 0) {
        connection.run(
          `insert into quota_buckets (bucket_key, tenant_id, full_at_us)
           values (?, ?, ?)
           on conflict (bucket_key) do update
             set full_at_us = excluded.full_at_us`,
          [key, key.slice(0, key.indexOf('/')), nextFullAtUs],
        );
      }
      const nextUs = nextFullAtUs + intervalUs - burst * intervalUs - nowUs;
      return { nextTokenMs: Math.max(0, nextUs) / 1_000 };
    },
  };
}

/** A bucket that a slower rate has emptied waits for one token, and not for those of the slower rate. */
export function boundBucket(connection: Connection, { key, intervalUs, burst }: Bucket): void {
  const emptyUs = Math.floor(connection.now() * 1_000) + burst * intervalUs;
  connection.run(
    'update quota_buckets set full_at_us = :empty_us where bucket_key = :key and full_at_us > :empty_us',
    { key, empty_us: emptyUs },
  );
}
