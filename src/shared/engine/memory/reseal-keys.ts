import type { TenantId } from '../../domain/ids.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { MemoryStore } from '../../store/memory.ts';

export interface Resealed {
  readonly resealed: number;
  /** Already sealed with the newest key, or saved again meanwhile. */
  readonly current: number;
  /** Tenants whose key no known encryption key opens. */
  readonly unreadable: readonly TenantId[];
}

/** Seals every kept provider key with the newest encryption key. May be broken off and run again. */
export async function resealKeys(params: {
  readonly store: MemoryStore;
  readonly secrets: SecretBox;
}): Promise<Resealed> {
  const { store, secrets } = params;
  const newest = secrets.currentKeyId();
  const unreadable: TenantId[] = [];
  let [resealed, current] = [0, 0];
  let after: TenantId | null = null;
  for (;;) {
    const page: Awaited<ReturnType<MemoryStore['listSealedKeys']>> = await store.listSealedKeys({
      after,
      limit: PAGE,
    });
    for (const { tenantId, key } of page) {
      const secret = key.keyId === newest ? null : secrets.open({ tenantId, sealed: key });
      if (key.keyId === newest) current += 1;
      else if (secret === null) unreadable.push(tenantId);
      else {
        const to = secrets.seal({ tenantId, secret });
        if (await store.replaceKey({ tenantId, from: key, to })) resealed += 1;
        else current += 1;
      }
    }
    after = page.at(-1)?.tenantId ?? null;
    if (page.length < PAGE) return { resealed, current, unreadable };
  }
}

const PAGE = 100;
