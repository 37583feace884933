package io.svc.worker;

import io.svc.errors.Cancelled;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a tool knows about its call.
 *
 * @param executionId the execution
 * @param nodeId the node whose tool it is
 * @param workItemId the work item
 * @param attempt from 0
 * @param idempotencyKey the same for every attempt: pass it to every system that the call changes
 * @param traceparent the W3C trace context of the step; pass it on to the services that you call
 * @param cancellation true once the work must stop; then the thread is interrupted, too
 * @param logger puts the ids of the item behind each line
 * @param labels those that the tool has set so far; they go with its output
 */
public record ToolContext(
    String executionId,
    String nodeId,
    String workItemId,
    int attempt,
    String idempotencyKey,
    Optional<String> traceparent,
    BooleanSupplier cancellation,
    System.Logger logger,
    Labels labels) {
  /**
   * A context without labels, for tests.
   *
   * @param executionId the execution
   * @param nodeId the node whose tool it is
   * @param workItemId the work item
   * @param attempt from 0
   * @param idempotencyKey the same for every attempt
   * @param traceparent the W3C trace context of the step
   * @param cancellation true once the work must stop
   * @param logger puts the ids of the item behind each line
   */
  public ToolContext(
      String executionId,
      String nodeId,
      String workItemId,
      int attempt,
      String idempotencyKey,
      Optional<String> traceparent,
      BooleanSupplier cancellation,
      System.Logger logger) {
    this(
        executionId,
        nodeId,
        workItemId,
        attempt,
        idempotencyKey,
        traceparent,
        cancellation,
        logger,
        new Labels());
  }

  /**
   * Sets labels of the execution, which go with the output of the tool. The labels of an attempt
   * that fails are lost.
   *
   * @param labels they replace labels of the same names
   * @throws io.svc.errors.Fatal for more than 16 labels, and for names and values that no label can
   *     have
   */
  public void setLabels(Map<String, String> labels) {
    this.labels.set(labels);
  }

  /**
   * Whether the work must stop: the lease is lost, the execution is cancelled, or the worker stops.
   *
   * @return true from then on
   */
  public boolean isCancelled() {
    return cancellation.getAsBoolean();
  }

  /**
   * For loops that nothing interrupts.
   *
   * @throws Cancelled once the work must stop
   */
  public void throwIfCancelled() {
    if (isCancelled()) {
      throw new Cancelled("the work must stop");
    }
  }
}
