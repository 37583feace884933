package io.svc.spring;

/** Keys of a {@code ChatClient} call's context. Set them as parameters of the advisors. */
public final class SvcContextKeys {
  /**
   * The id that the runtime gave the execution of the call. Set it to resume an execution; read it
   * in the context of the response.
   */
  public static final String EXECUTION_ID = "svc.execution.id";

  /** The id of the workflow that the execution runs. */
  public static final String WORKFLOW_ID = "svc.workflow.id";

  /** Groups calls that belong together. Without it, a call is a session of its own. */
  public static final String SESSION_ID = "svc.session.id";

  /** True: the call waits for the decision of a person. */
  public static final String APPROVAL_REQUIRED = "svc.approval.required";

  private SvcContextKeys() {}
}
