import type { JsonObject } from '../../domain/json.ts';
import type { CallQuota } from '../../domain/workflow/flow/call-quota.ts';
import type { CallableTool } from '../../domain/tools/callable-tool.ts';

export interface McpToolSpec {
  readonly tool: CallableTool;
  readonly outputSchema: JsonObject | null;
  readonly quota: CallQuota;
}
