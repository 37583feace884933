package io.svc.errors;

/** 409: the request contradicts the current state. */
public final class ConflictException extends SvcException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public ConflictException(String message, Refusal refusal, Throwable cause) {
    super(message, refusal, cause);
  }
}
