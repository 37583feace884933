package io.svc.spring.runtime;

/** The runtime gives no answer, or refuses to be used at all, as with a bad token. */
public final class RuntimeAwayException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final boolean mayHaveActed;

  /**
   * An outage.
   *
   * @param message what failed
   * @param mayHaveActed false if the request has certainly changed nothing
   * @param cause null, or what led to it
   */
  public RuntimeAwayException(String message, boolean mayHaveActed, Throwable cause) {
    super(message, cause);
    this.mayHaveActed = mayHaveActed;
  }

  /**
   * Whether the request may have changed something before its answer was lost.
   *
   * @return false if it has certainly changed nothing
   */
  public boolean mayHaveActed() {
    return mayHaveActed;
  }
}
