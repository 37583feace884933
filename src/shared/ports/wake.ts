/**
 * Hints that something is ready, within the process and (by the store's RemoteWake) across
 * processes. Topics: `run:<shard>`, `queue:<tenant>/<type>` and `queue:<tenant>/<type>/<name>`,
 * `queue:engine`, `events:<execution id>`, `ended:<execution id>`. A topic may go on with
 * `DETAIL_MARK` and what it is about: the tool of a queued item. A hint may be lost or come for nothing.
 */
export interface Wake {
  notify(topics: readonly string[]): void;
  /**
   * Returns the function that ends the subscription. `accepts`: which details are of use; a topic
   * without one always is.
   */
  subscribe(topic: string, listener: () => void, accepts?: (detail: string) => boolean): () => void;
}

/** Topics travel as lines, so this is in none of them. */
export const DETAIL_MARK = '\t';
