/**
 * Hints that something is ready, within the process and (by the store's RemoteWake) across
 * processes. Topics: `run:<shard>`, `queue:<tenant>/<queue>`, `queue:engine`,
 * `events:<execution id>`, `ended:<execution id>`. A hint may be lost or come for nothing.
 */
export interface Wake {
  notify(topics: readonly string[]): void;
  /** Returns the function that ends the subscription. */
  subscribe(topic: string, listener: () => void): () => void;
}
