package io.svc.worker;

import io.svc.json.Json;
import java.util.List;
import java.util.Map;

/** A claimed item, as far as a worker reads it ({@code docs/reference/worker-protocol.md}). */
record WorkItem(Map<String, Object> fields) {
  private static final long HEARTBEAT_MS = 10_000;

  /** The items of the answer to a claim. */
  static List<WorkItem> read(Map<String, Object> body) {
    if (body.get("work_items") instanceof List<?> several) {
      return several.stream().map(one -> new WorkItem(Json.asObject(one))).toList();
    }
    Object one = body.get("work_item");
    return one == null ? List.of() : List.of(new WorkItem(Json.asObject(one)));
  }

  String id() {
    return text("id");
  }

  String executionId() {
    return text("execution_id");
  }

  String nodeId() {
    return text("node_id");
  }

  boolean isFunction() {
    return "function".equals(fields.get("queue_type"));
  }

  boolean isRollback() {
    return "rollback".equals(fields.get("mode"));
  }

  /** As in claims: {@code module.function}, {@code class.method}, or the function. */
  String name() {
    Map<String, Object> payload = payload();
    if (isFunction()) {
      return String.valueOf(payload.get("function"));
    }
    if (payload.containsKey("class") && payload.containsKey("method")) {
      return payload.get("class") + "." + payload.get("method");
    }
    return payload.get("module") + "." + payload.get("function");
  }

  Object input() {
    return payload().get("input");
  }

  int attempt() {
    return (int) number("attempt", 0);
  }

  int turn() {
    return (int) number("turn", 0);
  }

  long leaseFence() {
    return number("lease_fence", 0);
  }

  long heartbeatMs() {
    return number("heartbeat_interval_ms", HEARTBEAT_MS);
  }

  /** Null: an item of an engine older than the field. */
  String idempotencyKey() {
    return text("idempotency_key");
  }

  String key() {
    return idempotencyKey() != null ? idempotencyKey() : id();
  }

  String traceparent() {
    return text("traceparent");
  }

  boolean isCancelRequested() {
    return Boolean.TRUE.equals(fields.get("cancel_requested"));
  }

  /** The first page of the journal: {@code entries}, and {@code next} where more follow. */
  Map<String, Object> journal() {
    Object journal = fields.get("journal");
    return journal == null ? Map.of() : Json.asObject(journal);
  }

  /** For log lines. */
  String facts() {
    String facts =
        "svc_name=" + name() + " execution_id=" + executionId() + " node_id=" + nodeId()
            + " attempt=" + attempt();
    return isFunction() ? facts + " turn=" + turn() : facts;
  }

  private Map<String, Object> payload() {
    return Json.asObject(fields.get("payload"));
  }

  private String text(String name) {
    return (String) fields.get(name);
  }

  private long number(String name, long otherwise) {
    return fields.get(name) instanceof Number number ? number.longValue() : otherwise;
  }
}
