package io.svc.errors;

/** Somebody cancelled the execution whose result you asked for. */
public final class ExecutionCancelledException extends SvcException {
  private static final long serialVersionUID = 1L;
  private final String executionId;

  /**
   * The error of an execution.
   *
   * @param message says what is recorded
   * @param executionId the execution
   */
  public ExecutionCancelledException(String message, String executionId) {
    super(message, Refusal.withoutAnswer("execution_cancelled"), null);
    this.executionId = executionId;
  }

  /**
   * The execution.
   *
   * @return its id
   */
  public String executionId() {
    return executionId;
  }
}
