/** How the loop learns that the code has nothing to do. Real in a worker, at once in tests. */
export interface Patience {
  /** Resolves when the code has done all that it can do without outside events. */
  drained(): Promise<void>;
  /** Resolves after a time in which code that awaits something outside would have continued. */
  lost(signal: AbortSignal): Promise<void>;
}
