package io.svc.errors;

/** Throw it in a tool, a step or a function: no further attempt follows. */
public class Fatal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * An error without a cause.
   *
   * @param message is recorded
   */
  public Fatal(String message) {
    super(message);
  }

  /**
   * An error with a cause.
   *
   * @param message is recorded
   * @param cause is in the log alone
   */
  public Fatal(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * The class that is recorded. A subclass may name its own.
   *
   * @return {@code Fatal}
   */
  public String errorClass() {
    return "Fatal";
  }
}
