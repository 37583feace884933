package io.svc.spring.runtime;

import java.util.List;
import java.util.Map;

/**
 * The requests that the companion makes.
 *
 * <p>Each throws {@link RuntimeAwayException} if the runtime cannot be used, and {@link
 * RuntimeRefusedException} if it refuses the one request. None is repeated here.
 */
public interface RuntimeApi {
  /** Asks for nothing. */
  void ping();

  /** Registers the workflow. The same workflow again changes nothing. */
  void register(ModelCallWorkflow workflow);

  /**
   * Starts an execution of the workflow. The same key and input give the same execution for a day.
   *
   * @return the id of the execution
   */
  String start(ModelCallWorkflow workflow, Map<String, Object> input, String idempotencyKey);

  /**
   * Reads an execution without its state.
   *
   * @return the members of the answer
   */
  Map<String, Object> read(String executionId);

  /** Delivers an external event. */
  void deliver(String executionId, String correlationKey, Map<String, Object> payload);

  /** Whether an event with this key is on record, for deliveries whose answer was lost. */
  boolean hasDelivered(String executionId, String correlationKey);

  /** Cancels an execution. One that has ended stays as it is. */
  void cancel(String executionId);

  /**
   * Reads the approvals of an execution.
   *
   * @return members {@code pending} and {@code decided}
   */
  Map<String, Object> approvals(String executionId);

  /**
   * Decides the open approval of an execution.
   *
   * @return the members of the answer, such as {@code accepted}
   */
  Map<String, Object> approve(String executionId, Map<String, Object> decision);

  /**
   * Lists open approvals of the workflow, oldest first.
   *
   * @return one map for each
   */
  List<Map<String, Object>> pendingApprovals(String workflowId);
}
