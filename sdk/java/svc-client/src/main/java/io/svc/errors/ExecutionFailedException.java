package io.svc.errors;

import java.util.Optional;

/** The execution whose result you asked for has failed. */
public final class ExecutionFailedException extends SvcException {
  private static final long serialVersionUID = 1L;
  private final String executionId;
  private final String errorClass;
  private final String nodeId;

  /**
   * The error of an execution.
   *
   * @param message says why it failed
   * @param executionId the execution
   * @param errorClass the class that is recorded
   * @param nodeId the node that failed; null if none did
   */
  public ExecutionFailedException(
      String message, String executionId, String errorClass, String nodeId) {
    super(message, Refusal.withoutAnswer("execution_failed"), null);
    this.executionId = executionId;
    this.errorClass = errorClass;
    this.nodeId = nodeId;
  }

  /**
   * The execution.
   *
   * @return its id
   */
  public String executionId() {
    return executionId;
  }

  /**
   * The class that is recorded.
   *
   * @return such as {@code timeout}
   */
  public String errorClass() {
    return errorClass;
  }

  /**
   * The node that failed.
   *
   * @return empty if no node did
   */
  public Optional<String> nodeId() {
    return Optional.ofNullable(nodeId);
  }
}
