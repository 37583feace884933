import type { JsonObject } from '../json.ts';
import type { ToolPart, ToolTarget } from '../workflow/parse/parts.ts';

/** A tool that the engine calls itself: everything about it that does not depend on who calls. */
export interface CallableTool {
  /** As policies, events and messages call it. */
  readonly name: string;
  readonly target: Exclude<ToolTarget, { readonly kind: 'python' }>;
  readonly inputSchema: JsonObject | null;
  /** All of them must hold. */
  readonly outputSchemas: readonly JsonObject[];
}

/** Null: a tool that workers call. */
export function callableTool(part: ToolPart): CallableTool | null {
  const { ref: name, target, inputSchema, outputSchema } = part;
  if (target.kind === 'python') return null;
  return { name, target, inputSchema, outputSchemas: outputSchema === null ? [] : [outputSchema] };
}
