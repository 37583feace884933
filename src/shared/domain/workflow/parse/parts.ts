import type { JsonObject, JsonValue } from '../../json.ts';
import type { PolicyRule } from '../../policy/parse-rules.ts';
import type { HttpTool } from '../../tools/http-tool.ts';
import type { CallQuota } from '../flow/call-quota.ts';

/** The named parts of a workflow besides its nodes; nodes use them through their kinds. */
export interface WorkflowParts {
  readonly models: ReadonlyMap<string, ModelPart>;
  /** Texts that models are asked with, by name. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolPart>;
  readonly mcpServers: ReadonlyMap<string, McpServerPart>;
  readonly remoteAgents: ReadonlyMap<string, RemoteAgentPart>;
  /** Rules that `policy` nodes check. */
  readonly policies: ReadonlyMap<string, readonly PolicyRule[]>;
}

export interface ModelPart {
  readonly ref: string;
  readonly provider: string;
  readonly model: string;
  /** From the workflow's author, and so not trusted; null: the provider's. */
  readonly baseUrl: string | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly timeoutMs: number | null;
  /** As it was written; for nodes that have none of their own. */
  readonly retryPolicy?: WrittenRetryPolicy;
  /** For nodes that have none of their own. Absent: none, as for a model that is written in the node itself. */
  readonly quota?: CallQuota;
}

/** A retry policy by its name or as an object, and where it stands. */
export interface WrittenRetryPolicy {
  readonly value: JsonValue;
  readonly pointer: string;
}

export interface ToolPart {
  readonly ref: string;
  readonly kind: 'http' | 'python' | 'mcp';
  /** URL template, `module:function`, or `server/tool`. */
  readonly reference: string;
  readonly description: string | null;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
  /** The part as it was written, for fields that are one kind's own. */
  readonly fields: JsonObject;
  /** JSON pointer of the part, for problems found later. */
  readonly pointer: string;
  readonly target: ToolTarget;
  /** For all nodes that call it. */
  readonly quota: CallQuota;
}

/** The target of a tool, read from its reference and the fields of its kind. */
export type ToolTarget =
  | { readonly kind: 'http'; readonly http: HttpTool }
  | { readonly kind: 'python'; readonly module: string; readonly function: string }
  /** `part`: the server of the definition; null: one that the operator configures, by its name. */
  | {
      readonly kind: 'mcp';
      readonly server: string;
      readonly tool: string;
      readonly part: McpServerPart | null;
    };

export interface McpServerPart {
  readonly name: string;
  readonly transport: 'streamable_http' | 'http_sse' | 'stdio';
  readonly url: string | null;
  readonly command: string | null;
  readonly args: readonly string[];
  readonly auth: AuthPart | null;
}

export interface RemoteAgentPart {
  readonly name: string;
  readonly url: string;
  readonly agentCardPath: string | null;
  readonly auth: AuthPart | null;
}

/** How to log in: names of secrets, never secrets. */
export type AuthPart =
  | { readonly type: 'bearer'; readonly tokenEnv: string }
  | { readonly type: 'api_key'; readonly header: string; readonly keyEnv: string }
  | {
      readonly type: 'oauth2';
      readonly clientIdEnv: string;
      readonly clientSecretEnv: string;
      readonly tokenUrl: string;
    };
