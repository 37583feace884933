import type { ExecutionContext } from 'ava';

import { openPostgresStore } from '../../../src/shared/store/postgres/open.ts';
import { sealAll } from '../../shared/engine/retention/retention-scene.ts';
import type { TestStore } from '../../support/stores.ts';

/** Seals everything now: otherwise, PostgreSQL leaves out what is only seconds old. */
export async function sealAudit(
  t: ExecutionContext<unknown>,
  { store, url }: TestStore,
): Promise<void> {
  if (store.dialect === 'sqlite') return sealAll(store.audit);
  const sealer = await openPostgresStore({
    url,
    poolSize: 1,
    maxOverflow: 0,
    audit: { finalMs: 0 },
  });
  t.teardown(() => sealer.close());
  await sealAll(sealer.audit);
}
