package io.svc.errors;

/** A value that JSON cannot hold. The message names its place. */
public final class SerializationException extends Fatal {
  private static final long serialVersionUID = 1L;

  /**
   * An error without a cause.
   *
   * @param message names the place
   */
  public SerializationException(String message) {
    super(message);
  }

  /**
   * An error with a cause.
   *
   * @param message names the place
   * @param cause what led to it
   */
  public SerializationException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String errorClass() {
    return "SerializationError";
  }
}
