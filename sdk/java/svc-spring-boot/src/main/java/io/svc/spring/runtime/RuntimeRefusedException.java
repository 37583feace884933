package io.svc.spring.runtime;

/** The runtime works, and refuses this one request. */
public final class RuntimeRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int status;

  /**
   * A refusal.
   *
   * @param status the HTTP status
   * @param message the words of the runtime
   * @param cause null, or what led to it
   */
  public RuntimeRefusedException(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /**
   * The HTTP status.
   *
   * @return 400 to 499
   */
  public int status() {
    return status;
  }
}
