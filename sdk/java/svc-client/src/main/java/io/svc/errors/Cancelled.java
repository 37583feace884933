package io.svc.errors;

/** The work must stop: the execution is cancelled, or the worker stops. */
public class Cancelled extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Says why.
   *
   * @param message why the work must stop
   */
  public Cancelled(String message) {
    super(message);
  }
}
