import type { JsonObject } from '../../domain/json.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';

export interface ToolSpec {
  readonly ref: string;
  /** Every name that policies may give it, the reference first. */
  readonly names: readonly [string, ...string[]];
  readonly does:
    | { readonly kind: 'python'; readonly module: string; readonly function: string }
    | { readonly kind: 'call'; readonly tool: CallableTool };
  /** What is checked when a worker completes; what the engine calls itself is checked by its call. */
  readonly outputSchema: JsonObject | null;
}
