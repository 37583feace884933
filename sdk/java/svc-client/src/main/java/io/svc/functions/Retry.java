package io.svc.functions;

import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;
import java.time.Duration;
import java.util.Optional;

/**
 * How often a step is tried.
 *
 * @param maxAttempts from 1
 * @param initialInterval the pause before the second attempt
 * @param backoff the factor from one pause to the next
 * @param maxInterval the longest pause
 */
public record Retry(
    int maxAttempts, Duration initialInterval, double backoff, Duration maxInterval) {
  /** Five attempts, with pauses from half a second to five minutes. */
  public static final Retry DEFAULT =
      new Retry(5, Duration.ofMillis(500), 2, Duration.ofMinutes(5));

  /**
   * So many attempts, with the pauses of the default.
   *
   * @param maxAttempts from 1
   * @return a policy
   */
  public static Retry attempts(int maxAttempts) {
    return new Retry(
        maxAttempts, DEFAULT.initialInterval, DEFAULT.backoff, DEFAULT.maxInterval);
  }

  /**
   * The same with another first pause.
   *
   * @param initialInterval the pause before the second attempt
   * @return a policy
   */
  public Retry withInitialInterval(Duration initialInterval) {
    return new Retry(maxAttempts, initialInterval, backoff, maxInterval);
  }

  /**
   * The pause after so many attempts.
   *
   * @param error what the last attempt threw
   * @param attempt the number of the last attempt
   * @return empty: no attempt follows
   */
  public Optional<Duration> delayAfter(Throwable error, int attempt) {
    if (error instanceof Fatal || attempt >= maxAttempts) {
      return Optional.empty();
    }
    if (error instanceof RetryAfter later) {
      return Optional.of(later.delay());
    }
    double grown = initialInterval.toMillis() * Math.pow(backoff, attempt - 1);
    return Optional.of(Duration.ofMillis((long) Math.min(grown, maxInterval.toMillis())));
  }
}
