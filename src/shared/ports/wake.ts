/**
 * Hints that something is ready, within the process and (by the store's RemoteWake) across
 * processes. Topics: `run:<shard>`, `queue:<tenant>/<type>` and `queue:<tenant>/<type>/<name>`,
 * `queue:engine`, `events:<execution id>`, `ended:<execution id>`, `awaited:<execution id>`, and
 * those that `engine/wake/wake-bus.ts` names. A topic may continue with `DETAIL_MARK` and a detail:
 * the tool of a queued item, the id of a token or tenant. A hint may be lost or needless.
 */
export interface Wake {
  notify(topics: readonly string[]): void;
  /**
   * Returns the function that ends the subscription. `accepts`: which details are of use; a topic
   * without one always is.
   */
  subscribe(topic: string, listener: () => void, accepts?: (detail: string) => boolean): () => void;
  /** The listener gets the details that came; null: a topic without one. */
  subscribeToDetails(
    topic: string,
    listener: (details: readonly (string | null)[]) => void,
  ): () => void;
}

/** Topics travel as lines, so this is in none of them. */
export const DETAIL_MARK = '\t';
