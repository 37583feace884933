import type { TenantId } from '../domain/ids.ts';
import type { JsonObject, JsonValue } from '../domain/json.ts';
import type { McpServerPart } from '../domain/workflow/parse/parts.ts';

/** Calls tools of servers of the Model Context Protocol. */
export interface McpCaller {
  /** Never rejects. */
  callTool(params: McpToolCall): Promise<McpAnswer>;
}

export interface McpToolCall {
  readonly tenantId: TenantId;
  readonly server: McpServerRef;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Sent in `_meta` under `svc/idempotency-key`. */
  readonly idempotencyKey: string;
  /** Time limit of connecting, and again of the call. */
  readonly timeoutMs: number;
  readonly resultBytesMax: number;
  readonly signal: AbortSignal;
}

export interface McpServerRef {
  readonly name: string;
  /** As a definition has it; null: one that the operator configures by that name. */
  readonly part: McpServerPart | null;
}

export type McpAnswer =
  | {
      readonly ok: true;
      readonly isError: boolean;
      /** Undefined: the tool gave none. */
      readonly structured: JsonValue | undefined;
      /** Content blocks as they came: `{type: "text", text}` and others. */
      readonly content: readonly JsonObject[];
    }
  | {
      readonly ok: false;
      /** Ours: no word of the server's, no secret. */
      readonly error: string;
      readonly errorClass: string;
      readonly retryAfterMs?: number;
      readonly final?: boolean;
    };
