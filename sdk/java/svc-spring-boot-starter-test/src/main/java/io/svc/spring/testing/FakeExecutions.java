package io.svc.spring.testing;

import io.svc.json.Json;
import io.svc.spring.testing.FakeRuntime.Answer;
import io.svc.spring.testing.FakeRuntime.Request;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The executions of the fake: what a model call and its approval make of them. */
final class FakeExecutions {
  private static final String FINISHED = "svc.call.finished";
  private static final Set<String> OPEN = Set.of("running", "paused");
  private final Map<String, Execution> executions = new LinkedHashMap<>();
  private final Map<String, String> idsByKey = new LinkedHashMap<>();

  private static final class Execution {
    private final String id = "exec_" + UUID.randomUUID().toString().replace("-", "");
    private final String workflowId;
    private final boolean needsApproval;
    private final Instant startedAt = Instant.now();
    private final List<Map<String, Object>> events = new ArrayList<>();
    private Map<String, Object> decided;
    private String status = "running";

    private Execution(Map<String, Object> start) {
      workflowId = (String) start.get("workflow_id");
      Object input = start.get("input");
      needsApproval = Boolean.TRUE.equals(Json.asObject(input).get("approval_required"));
      status = needsApproval ? "paused" : "running";
    }

    private boolean isPending() {
      return needsApproval && decided == null && OPEN.contains(status);
    }
  }

  synchronized List<String> ids() {
    return List.copyOf(executions.keySet());
  }

  synchronized String statusOf(String id) {
    return executions.get(id).status;
  }

  synchronized List<Map<String, Object>> payloadsOf(String id) {
    return executions.get(id).events.stream()
        .map(event -> Json.asObject(event.get("payload")))
        .toList();
  }

  synchronized Answer answer(Request request) {
    String[] parts = request.path().substring(1).split("/");
    return switch (request.method() + " " + parts[0]) {
      case "GET whoami" -> ok(request, Map.of("tenant_id", "default"));
      case "POST workflows" -> new Answer(request, 201, request.body().get("ir"));
      case "GET approvals" -> ok(request, Json.object("approvals", allPending()));
      case "POST executions", "GET executions" ->
          parts.length == 1 ? start(request) : answerOne(request, parts);
      default -> missing(request);
    };
  }

  private Answer start(Request request) {
    String key = request.headers().getOrDefault("idempotency-key", UUID.randomUUID().toString());
    String id =
        idsByKey.computeIfAbsent(
            key,
            absent -> {
              Execution execution = new Execution(request.body());
              executions.put(execution.id, execution);
              return execution.id;
            });
    return new Answer(request, 201, Map.of("execution_id", id));
  }

  private Answer answerOne(Request request, String[] parts) {
    Execution execution = executions.get(parts[1]);
    if (execution == null) {
      return missing(request);
    }
    return switch (parts.length == 2 ? "" : parts[2]) {
      case "" ->
          ok(
              request,
              Json.object(
                  "execution_id", execution.id,
                  "workflow_id", execution.workflowId,
                  "status", execution.status));
      case "events" -> ok(request, Map.of("events", eventsOf(execution)));
      case "external-event" -> ok(request, deliver(execution, request.body()));
      case "cancel" -> cancel(request, execution);
      case "approvals" -> ok(request, approvalsOf(execution));
      case "approve" -> ok(request, decide(execution, request.body()));
      default -> missing(request);
    };
  }

  private static List<Map<String, Object>> eventsOf(Execution execution) {
    return execution.events.stream()
        .map(event -> Json.object("kind", "ExternalEventReceived", "payload", event))
        .toList();
  }

  private static Map<String, Object> deliver(Execution execution, Map<String, Object> event) {
    boolean isOpen = OPEN.contains(execution.status);
    if (isOpen) {
      execution.events.add(event);
    }
    if (isOpen && FINISHED.equals(event.get("correlation_key"))) {
      execution.status = (String) Json.asObject(event.get("payload")).get("status");
    }
    return accepted(execution, isOpen);
  }

  private static Answer cancel(Request request, Execution execution) {
    if (OPEN.contains(execution.status)) {
      execution.status = "cancelled";
    }
    boolean isCancelled = execution.status.equals("cancelled");
    return isCancelled
        ? ok(request, Json.object("execution_id", execution.id, "status", "cancelled"))
        : new Answer(request, 400, Map.of("error", "bad request: it has ended"));
  }

  private static Map<String, Object> decide(Execution execution, Map<String, Object> decision) {
    boolean isAccepted = execution.isPending();
    if (isAccepted) {
      execution.decided = decision;
      execution.status = "approved".equals(decision.get("decision")) ? "running" : "failed";
    }
    return accepted(execution, isAccepted);
  }

  private static Map<String, Object> approvalsOf(Execution execution) {
    List<Map<String, Object>> pending =
        execution.isPending() ? List.of(pending(execution)) : List.of();
    return Json.object(
        "execution_id", execution.id,
        "pending", pending,
        "decided", execution.decided == null ? List.of() : List.of(execution.decided));
  }

  private List<Map<String, Object>> allPending() {
    return executions.values().stream()
        .filter(Execution::isPending)
        .map(FakeExecutions::pending)
        .toList();
  }

  private static Map<String, Object> pending(Execution execution) {
    return Json.object(
        "execution_id", execution.id,
        "workflow_id", execution.workflowId,
        "node_id", "approval",
        "requested_at", execution.startedAt.toString());
  }

  private static Map<String, Object> accepted(Execution execution, boolean isAccepted) {
    return Json.object("execution_id", execution.id, "accepted", isAccepted);
  }

  private static Answer ok(Request request, Object body) {
    return new Answer(request, 200, body);
  }

  private static Answer missing(Request request) {
    return new Answer(request, 404, Map.of("error", "not found: " + request.path()));
  }
}
