package io.svc.spring.approval;

import io.svc.json.Json;
import io.svc.spring.runtime.ModelCallWorkflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** An approval as the list and the webhook show it. */
final class PendingApproval {
  private PendingApproval() {}

  /** A call of this process. */
  static Map<String, Object> of(Waiter waiter) {
    Waiter.Request request = waiter.request();
    return Json.object(
        "execution_id", waiter.executionId(),
        "workflow_id", request.workflowId(),
        "session_id", request.sessionId(),
        "node_id", ModelCallWorkflow.APPROVAL_NODE,
        "prompt", request.prompt(),
        "requested_at", request.requestedAt().toString(),
        "expires_at", request.expiresAt().toString());
  }

  /** An approval that the runtime lists, of any process. */
  static Map<String, Object> of(Map<String, Object> listed, Duration timeout) {
    Instant requestedAt = Instant.parse((String) listed.get("requested_at"));
    return Json.object(
        "execution_id", listed.get("execution_id"),
        "workflow_id", listed.get("workflow_id"),
        "node_id", listed.get("node_id"),
        "requested_at", requestedAt.toString(),
        "expires_at", requestedAt.plus(timeout).toString());
  }
}
