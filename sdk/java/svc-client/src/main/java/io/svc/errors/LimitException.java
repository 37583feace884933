package io.svc.errors;

import java.time.Duration;
import java.util.Optional;

/** 402 and 429: a limit is reached. */
public final class LimitException extends SvcException {
  private static final long serialVersionUID = 1L;
  private final Duration retryAfter;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param retryAfter the time that the service asks for; null if it names none
   */
  public LimitException(String message, Refusal refusal, Duration retryAfter) {
    super(message, refusal, null);
    this.retryAfter = retryAfter;
  }

  /**
   * The time that the service asks for.
   *
   * @return empty if it names none
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
