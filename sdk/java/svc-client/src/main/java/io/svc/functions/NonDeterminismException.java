package io.svc.functions;

/** The code of a function does not fit the journal of its earlier turns. */
public final class NonDeterminismException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String recorded;
  private final String asked;

  /**
   * The error of a function.
   *
   * @param message says what happened
   * @param recorded what the journal has
   * @param asked what the code asks for
   */
  public NonDeterminismException(String message, String recorded, String asked) {
    super(message);
    this.recorded = recorded;
    this.asked = asked;
  }

  /**
   * What the journal has.
   *
   * @return what the journal has
   */
  public String recorded() {
    return recorded;
  }

  /**
   * What the code asks for.
   *
   * @return what the code asks for
   */
  public String asked() {
    return asked;
  }
}
