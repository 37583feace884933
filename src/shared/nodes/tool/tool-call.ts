import type { ExpressionScope } from '../../domain/expression/expression.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { Cpu } from '../../ports/cpu.ts';
import type { Http } from '../../ports/http.ts';
import type { McpCaller } from '../../ports/mcp.ts';
import type { NamedSecrets } from '../../ports/named-secrets.ts';
import type { NodeOutcome } from '../run.ts';

export interface ToolDeps {
  readonly http: Http;
  readonly mcp: McpCaller;
  readonly secrets: NamedSecrets;
  readonly cpu: Pick<Cpu, 'validateSchema'>;
  /** Milliseconds since the epoch: a server may say when to come again as a date. */
  readonly now: () => number;
}

/** The caller, and the arguments. */
export interface ToolCall {
  readonly tenantId: TenantId;
  readonly input: JsonValue;
  readonly scope: ExpressionScope;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export type ToolOutcome = Extract<NodeOutcome, { readonly ok: boolean }>;
