/** A provider that turns text into vectors, used with the caller's key. */
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
      /**
       * Our own message, a continuation of "the embedding provider"; it quotes nothing from the
       * provider.
       */
      readonly detail: string;
    };
