package io.svc.worker;

import java.util.concurrent.ThreadLocalRandom;

/** Nothing is known of what became of a request. */
final class NoAnswer extends Exception {
  private static final long serialVersionUID = 1L;
  private static final double FIRST_MS = 250;
  private static final double MOST_MS = 5000;
  private final long retryAfterMs;

  NoAnswer(String message, long retryAfterMs) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }

  /** Milliseconds before the next try, which grow with the failures. */
  long pauseMs(int failures) {
    return Math.max(backOffMs(failures), retryAfterMs);
  }

  /** From 0.25 to 5 s, spread over the upper half. */
  static long backOffMs(int failures) {
    double most = Math.min(FIRST_MS * Math.pow(2, failures - 1), MOST_MS);
    return (long) (most * (0.5 + ThreadLocalRandom.current().nextDouble() / 2));
  }
}
