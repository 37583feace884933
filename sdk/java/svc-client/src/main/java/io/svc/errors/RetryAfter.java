package io.svc.errors;

import java.time.Duration;
import java.time.Instant;

/**
 * Throw it in a tool, a step or a function: the next attempt begins after that time.
 *
 * <p>It replaces the back-off of the retry policy and counts as a failed attempt. A wait of more
 * than 30 days counts as 30 days. Message and class are those of the cause, if there is one.
 */
public final class RetryAfter extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final Duration WAIT_MAX = Duration.ofDays(30);
  private final Duration duration;
  private final Instant until;

  /**
   * Waits for a time.
   *
   * @param wait the pause before the next attempt
   */
  public RetryAfter(Duration wait) {
    this(wait, null);
  }

  /**
   * Waits for a time after an error.
   *
   * @param wait the pause before the next attempt
   * @param cause its message and its class are recorded; null for none
   */
  public RetryAfter(Duration wait, Throwable cause) {
    super("try again later", cause);
    this.duration = wait;
    this.until = null;
  }

  /**
   * Waits until a time.
   *
   * @param until when the next attempt may begin
   * @param cause its message and its class are recorded; null for none
   */
  public RetryAfter(Instant until, Throwable cause) {
    super("try again later", cause);
    this.duration = null;
    this.until = until;
  }

  /**
   * The pause from now on.
   *
   * @return from zero to 30 days
   */
  public Duration delay() {
    Duration left = until == null ? duration : Duration.between(Instant.now(), until);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : left;
  }
}
