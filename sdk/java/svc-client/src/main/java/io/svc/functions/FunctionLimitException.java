package io.svc.functions;

/** A function exceeds a documented limit: entries of a visit, or waits at once. */
public final class FunctionLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a function.
   *
   * @param message says what happened
   */
  public FunctionLimitException(String message) {
    super(message);
  }
}
