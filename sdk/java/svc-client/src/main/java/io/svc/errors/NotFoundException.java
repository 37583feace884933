package io.svc.errors;

/** 404: this tenant has no such thing. */
public final class NotFoundException extends SvcException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public NotFoundException(String message, Refusal refusal, Throwable cause) {
    super(message, refusal, cause);
  }
}
