package io.svc.errors;

/** 403: the role of the token, or the state of the tenant, does not allow the request. */
public final class PermissionDeniedException extends SvcException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a refusal.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public PermissionDeniedException(String message, Refusal refusal, Throwable cause) {
    super(message, refusal, cause);
  }
}
