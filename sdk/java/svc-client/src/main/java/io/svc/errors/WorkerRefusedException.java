package io.svc.errors;

/** The runtime refuses the worker: its address, token, role or request is wrong. */
public final class WorkerRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int status;

  /**
   * Says what to do.
   *
   * @param message says what to do
   * @param status the HTTP status; 0 if there was no answer
   */
  public WorkerRefusedException(String message, int status) {
    super(message);
    this.status = status;
  }

  /**
   * The HTTP status.
   *
   * @return 0 if there was no answer
   */
  public int status() {
    return status;
  }
}
