package io.svc.functions;

import io.svc.errors.Fatal;

/** The function cannot continue as new: rollbacks are registered, or code caught its signal. */
public final class ContinueAsNewException extends Fatal {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a function.
   *
   * @param message says what to do
   */
  public ContinueAsNewException(String message) {
    super(message);
  }

  @Override
  public String errorClass() {
    return "ContinueAsNewError";
  }
}
