package io.svc.errors;

/** 401: there is no token, or the service does not accept it. */
public final class AuthenticationException extends SvcException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public AuthenticationException(String message, Refusal refusal, Throwable cause) {
    super(message, refusal, cause);
  }
}
