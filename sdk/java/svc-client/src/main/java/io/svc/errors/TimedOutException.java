package io.svc.errors;

import java.util.Optional;

/** The time that the caller gave is over. An execution continues. */
public final class TimedOutException extends SvcException {
  private static final long serialVersionUID = 1L;
  private final String executionId;

  /**
   * The error of a time that is over.
   *
   * @param message says what to do next
   * @param executionId the execution that continues; null for another request
   * @param cause null, or what led to it
   */
  public TimedOutException(String message, String executionId, Throwable cause) {
    super(message, Refusal.withoutAnswer("timeout"), cause);
    this.executionId = executionId;
  }

  /**
   * The execution that continues.
   *
   * @return empty for another request
   */
  public Optional<String> executionId() {
    return Optional.ofNullable(executionId);
  }
}
