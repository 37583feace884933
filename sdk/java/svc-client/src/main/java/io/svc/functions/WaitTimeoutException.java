package io.svc.functions;

/** An event or an approval did not come in time. */
public final class WaitTimeoutException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String waitName;

  /**
   * The error of a function.
   *
   * @param message says what happened
   * @param waitName the identity of the wait
   */
  public WaitTimeoutException(String message, String waitName) {
    super(message);
    this.waitName = waitName;
  }

  /**
   * The identity of the wait.
   *
   * @return the identity of the wait
   */
  public String waitName() {
    return waitName;
  }
}
