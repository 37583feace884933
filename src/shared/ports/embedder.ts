/** A provider that turns text into vectors, used with the key of whoever asks. */
export interface Embedder {
  /** Never rejects for what a provider can do; every answer comes within a bound. */
  embed(params: { readonly apiKey: string; readonly text: string }): Promise<Embedding>;
}

export type Embedding =
  | { readonly ok: true; readonly values: readonly number[] }
  | { readonly ok: false; readonly reason: 'key_invalid' | 'text_refused' }
  | {
      readonly ok: false;
      readonly reason: 'rate_limited';
      /** As the provider says it; null when it says nothing. */
      readonly retryAfterSeconds: number | null;
    }
  | {
      readonly ok: false;
      readonly reason: 'unavailable';
      /** In our words, going on from "the embedding provider"; nothing of the provider's. */
      readonly detail: string;
    };
