import type { TenantId } from '../domain/ids.ts';
import type { Fact, Scope } from '../domain/memory/fact.ts';

/** What nodes ask of memory. Throws a `SvcError` for what the caller must know. */
export interface Recaller {
  recall(
    params: Scope & {
      readonly tenantId: TenantId;
      readonly query: string;
      /** Null: as many as usual. */
      readonly k: number | null;
    },
  ): Promise<readonly (Fact & { readonly similarity: number })[]>;
}
