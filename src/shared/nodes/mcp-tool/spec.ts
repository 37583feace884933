import type { JsonObject } from '../../domain/json.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';

export interface McpToolSpec {
  readonly tool: CallableTool;
  readonly outputSchema: JsonObject | null;
}
