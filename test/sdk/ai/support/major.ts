import type { DurableModelOptions, DurableToolsOptions } from 'svc-sdk/ai';
import type { FunctionContext } from 'svc-sdk/worker';

/** The tools of the tests. */
export type ToolName = 'weather' | 'refund' | 'count';

/** What an agent of a test is made of. */
export interface AgentParams {
  readonly ctx: FunctionContext;
  /** Of the provider. */
  readonly url: string;
  readonly model?: DurableModelOptions;
  readonly tools?: DurableToolsOptions<ToolName>;
  /** The rule of the tool `refund` itself. */
  readonly needsApproval?: boolean | (() => Promise<boolean>);
  /** What the tools do. `key` is the idempotency key of the step. */
  readonly act: (
    tool: ToolName,
    given: { readonly input: string; readonly key: string },
  ) => unknown;
  readonly abortSignal?: AbortSignal;
}

export interface AgentAnswer {
  readonly text: string;
  readonly totalTokens: number | null;
  /** Of the last response: as ISO 8601. */
  readonly answeredAt: string;
}

/** A major version of the AI SDK. */
export interface Major {
  readonly name: string;
  generate(params: AgentParams): Promise<AgentAnswer>;
  /** `texts` are the text parts of the stream. */
  stream(params: AgentParams): Promise<AgentAnswer & { readonly texts: readonly string[] }>;
  loop(params: AgentParams): Promise<AgentAnswer>;
}
