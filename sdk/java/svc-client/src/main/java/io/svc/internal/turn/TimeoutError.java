package io.svc.internal.turn;

/** An attempt of a step took too long. Its name is the class that every SDK records. */
final class TimeoutError extends Exception {
  private static final long serialVersionUID = 1L;

  TimeoutError(String message) {
    super(message);
  }
}
