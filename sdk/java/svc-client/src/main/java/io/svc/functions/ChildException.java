package io.svc.functions;

/** An execution that the function called did not complete. */
public final class ChildException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String call;
  private final String errorClass;

  /**
   * The error of a function.
   *
   * @param message says what happened
   * @param call the identity of the call
   * @param errorClass {@code child_failed} or {@code child_cancelled}
   */
  public ChildException(String message, String call, String errorClass) {
    super(message);
    this.call = call;
    this.errorClass = errorClass;
  }

  /**
   * The identity of the call.
   *
   * @return the identity of the call
   */
  public String call() {
    return call;
  }

  /**
   * {@code child_failed} or {@code child_cancelled}.
   *
   * @return {@code child_failed} or {@code child_cancelled}
   */
  public String errorClass() {
    return errorClass;
  }
}
