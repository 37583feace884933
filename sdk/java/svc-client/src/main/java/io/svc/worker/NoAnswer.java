package io.svc.worker;

/** Nothing is known of what became of a request. */
final class NoAnswer extends Exception {
  private static final long serialVersionUID = 1L;
  private final long retryAfterMs;

  NoAnswer(String message, long retryAfterMs) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }

  /** Milliseconds before the next try, which grow with the failures. */
  long pauseMs(int failures) {
    return Math.max(BackOff.ms(failures), retryAfterMs);
  }
}
