import type { JsonObject } from '../../domain/json.ts';
import type { CallQuota } from '../../domain/workflow/flow/call-quota.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';

export interface ToolSpec {
  readonly ref: string;
  /** Every name that policies may give it, the reference first. */
  readonly names: readonly [string, ...string[]];
  readonly does:
    | { readonly kind: 'python'; readonly module: string; readonly function: string }
    | { readonly kind: 'call'; readonly tool: CallableTool };
  /**
   * Schema of a worker's output, checked at its completion; the engine's own calls check theirs.
   */
  readonly outputSchema: JsonObject | null;
  readonly quota: CallQuota;
}
