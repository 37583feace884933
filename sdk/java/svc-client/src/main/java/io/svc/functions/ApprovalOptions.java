package io.svc.functions;

import java.time.Duration;

/**
 * What a person is shown, and for how long the function waits.
 *
 * @param description what is to be decided; null: nothing
 * @param context a value of JSON or a record that is shown; null: none
 * @param timeout the longest time to wait; null: none
 */
public record ApprovalOptions(String description, Object context, Duration timeout) {
  /** Shows nothing, and has no time limit. */
  public static final ApprovalOptions DEFAULT = new ApprovalOptions(null, null, null);

  /**
   * The same with a description.
   *
   * @param description what is to be decided
   * @return new options
   */
  public ApprovalOptions withDescription(String description) {
    return new ApprovalOptions(description, context, timeout);
  }

  /**
   * The same with a context.
   *
   * @param context a value of JSON or a record that is shown
   * @return new options
   */
  public ApprovalOptions withContext(Object context) {
    return new ApprovalOptions(description, context, timeout);
  }

  /**
   * The same with a time limit.
   *
   * @param timeout the longest time to wait
   * @return new options
   */
  public ApprovalOptions withTimeout(Duration timeout) {
    return new ApprovalOptions(description, context, timeout);
  }
}
