package io.svc.internal.request;

import java.util.concurrent.ThreadLocalRandom;

/** Nothing is known of what became of a request. */
public final class NoAnswer extends Exception {
  private static final long serialVersionUID = 1L;
  private static final double FIRST_MS = 250;
  private static final double MOST_MS = 5000;
  private final long retryAfterMs;

  public NoAnswer(String message, long retryAfterMs) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }

  /** Milliseconds before the next try, which grow with the failures. */
  public long pauseMs(int failures) {
    return Math.max(backOffMs(failures), retryAfterMs);
  }

  /** From 0.25 to 5 s, spread over the upper half. */
  public static long backOffMs(int failures) {
    double most = Math.min(FIRST_MS * Math.pow(2, failures - 1), MOST_MS);
    return (long) (most * (0.5 + ThreadLocalRandom.current().nextDouble() / 2));
  }
}
