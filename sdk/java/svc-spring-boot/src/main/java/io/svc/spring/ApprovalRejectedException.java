package io.svc.spring;

import java.util.Optional;

/** A person, or the default decision after the timeout, rejected the call. */
public final class ApprovalRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String executionId;
  private final String comment;

  /**
   * A rejection.
   *
   * @param executionId the execution that waited
   * @param comment the reviewer's words; null if there are none
   */
  public ApprovalRejectedException(String executionId, String comment) {
    super("execution " + executionId + " was rejected" + (comment == null ? "" : ": " + comment));
    this.executionId = executionId;
    this.comment = comment;
  }

  /**
   * The execution that waited for the decision.
   *
   * @return its id
   */
  public String executionId() {
    return executionId;
  }

  /**
   * The reviewer's words.
   *
   * @return empty if there are none
   */
  public Optional<String> comment() {
    return Optional.ofNullable(comment);
  }
}
