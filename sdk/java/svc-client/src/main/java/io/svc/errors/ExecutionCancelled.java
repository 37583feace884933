package io.svc.errors;

/** The work must stop, because somebody cancelled the execution. */
public final class ExecutionCancelled extends Cancelled {
  private static final long serialVersionUID = 1L;

  /** Says so. */
  public ExecutionCancelled() {
    super("the execution is being cancelled");
  }
}
