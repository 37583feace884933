package io.svc.functions;

import io.svc.errors.Fatal;

/** The steps of the function have used up a budget. No further step runs in this turn. */
public final class BudgetExceededException extends Fatal {
  private static final long serialVersionUID = 1L;

  /**
   * The error of a function.
   *
   * @param message says what to do
   */
  public BudgetExceededException(String message) {
    super(message);
  }

  @Override
  public String errorClass() {
    return "budget_exceeded";
  }
}
