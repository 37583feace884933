package io.svc.errors;

/** 400, 413, 415, 422: the request is wrong. With the code {@code not_json} it was not sent. */
public final class ValidationException extends SvcException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public ValidationException(String message, Refusal refusal, Throwable cause) {
    super(message, refusal, cause);
  }
}
