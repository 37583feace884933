package io.svc.functions;

/** A step failed after its last attempt. A replay throws the same error. */
public final class StepException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String step;
  private final String errorClass;
  private final int attempts;

  /**
   * The error of a function.
   *
   * @param message says what happened
   * @param step the identity of the step
   * @param errorClass the class that is recorded
   * @param attempts the number of attempts
   */
  public StepException(String message, String step, String errorClass, int attempts) {
    super(message);
    this.step = step;
    this.errorClass = errorClass;
    this.attempts = attempts;
  }

  /**
   * The identity of the step.
   *
   * @return the identity of the step
   */
  public String step() {
    return step;
  }

  /**
   * The class that is recorded.
   *
   * @return the class that is recorded
   */
  public String errorClass() {
    return errorClass;
  }

  /**
   * The number of attempts.
   *
   * @return the number of attempts
   */
  public int attempts() {
    return attempts;
  }
}
