package io.svc.functions;

import java.time.Duration;

/**
 * How a step runs.
 *
 * @param retry how often it is tried
 * @param timeout the time of one attempt; null: none
 * @param isRecordedAtEnd true: it is recorded with the next entry or the result, for steps that are
 *     safe to redo
 */
public record StepOptions(Retry retry, Duration timeout, boolean isRecordedAtEnd) {
  /** Five attempts, no time limit, recorded at once. */
  public static final StepOptions DEFAULT = new StepOptions(Retry.DEFAULT, null, false);

  /**
   * The same with a policy.
   *
   * @param retry how often the step is tried
   * @return new options
   */
  public StepOptions withRetry(Retry retry) {
    return new StepOptions(retry, timeout, isRecordedAtEnd);
  }

  /**
   * The same with a time limit.
   *
   * @param timeout the time of one attempt
   * @return new options
   */
  public StepOptions withTimeout(Duration timeout) {
    return new StepOptions(retry, timeout, isRecordedAtEnd);
  }

  /**
   * The same, recorded with the next entry or the result.
   *
   * @return new options
   */
  public StepOptions recordedAtEnd() {
    return new StepOptions(retry, timeout, true);
  }
}
