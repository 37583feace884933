/** Usage of one model call, or of several that are recorded together. */
export type UsagePayload = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** US dollars; null: the price of the model is not known. */
  readonly cost_usd: number | null;
  readonly model?: string;
  readonly finish_reason?: string;
};
