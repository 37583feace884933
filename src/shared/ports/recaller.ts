import type { TenantId } from '../domain/ids.ts';
import type { Fact, Scope } from '../domain/memory/fact.ts';

/** Memory for nodes. Throws a `SvcError` for errors that the caller must know. */
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
