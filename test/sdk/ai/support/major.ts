import type { DurableModelOptions, DurableToolsOptions } from 'svc-sdk/ai';
import type { FunctionContext } from 'svc-sdk/worker';

/** The tools of the tests. */
export type ToolName = 'weather' | 'refund' | 'count';

/** The parts of an agent in a test. */
export interface AgentParams {
  readonly ctx: FunctionContext;
  /** The provider's URL. */
  readonly url: string;
  readonly model?: DurableModelOptions;
  readonly tools?: DurableToolsOptions<ToolName>;
  /** The tool's own rule for `refund`. */
  readonly needsApproval?: boolean | (() => Promise<boolean>);
  /** The effect of the tools. `key` is the idempotency key of the step. */
  readonly act: (
    tool: ToolName,
    given: { readonly input: string; readonly key: string },
  ) => unknown;
  readonly abortSignal?: AbortSignal;
}

export interface AgentAnswer {
  readonly text: string;
  readonly totalTokens: number | null;
  /** The time of the last response, as ISO 8601. */
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
