package io.svc.spring.runtime;

import io.svc.client.RetryPolicy;
import io.svc.client.SvcClient;
import io.svc.errors.ConnectionFailedException;
import io.svc.errors.SvcException;
import io.svc.json.Json;
import io.svc.spring.SvcProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The runtime over HTTP. One attempt for each request: the link and the outbox repeat. */
public final class ClientRuntime implements RuntimeApi, AutoCloseable {
  private static final int PAGE = 500;
  private final SvcClient client;

  /**
   * A client with the address, the token and the limits of the properties.
   *
   * @param properties with a runtime URL
   */
  public ClientRuntime(SvcProperties properties) {
    Duration readTimeout = Duration.ofSeconds(properties.getReadTimeoutSeconds());
    client =
        SvcClient.builder()
            .url(properties.getRuntimeUrl())
            .token(properties.getApiToken())
            .tenant(properties.getTenantId())
            .connectTimeout(Duration.ofSeconds(properties.getConnectTimeoutSeconds()))
            .readTimeout(readTimeout)
            .timeout(readTimeout)
            .retry(RetryPolicy.NONE)
            .build();
  }

  @Override
  public void ping() {
    get("/whoami", Map.of());
  }

  @Override
  public void register(ModelCallWorkflow workflow) {
    post("/workflows", Map.of("ir", workflow.ir()), Map.of());
  }

  @Override
  public String start(
      ModelCallWorkflow workflow, Map<String, Object> input, String idempotencyKey) {
    Map<String, Object> body =
        Map.of(
            "workflow_id", workflow.id(), "workflow_version", workflow.version(), "input", input);
    Map<String, String> headers = Map.of("idempotency-key", idempotencyKey);
    return (String) post("/executions", body, headers).get("execution_id");
  }

  @Override
  public Map<String, Object> read(String executionId) {
    return get(pathOf(executionId, ""), Map.of("view", "head"));
  }

  @Override
  public void deliver(String executionId, String correlationKey, Map<String, Object> payload) {
    Map<String, Object> body = Map.of("correlation_key", correlationKey, "payload", payload);
    post(pathOf(executionId, "/external-event"), body, Map.of());
  }

  @Override
  public boolean hasDelivered(String executionId, String correlationKey) {
    Map<String, Object> query = Map.of("types", "ExternalEventReceived");
    Object events = get(pathOf(executionId, "/events"), query).get("events");
    return Json.asObjects(events).stream()
        .map(event -> Json.asObject(event.get("payload")))
        .anyMatch(payload -> correlationKey.equals(payload.get("correlation_key")));
  }

  @Override
  public void cancel(String executionId) {
    try {
      post(pathOf(executionId, "/cancel"), Map.of(), Map.of());
    } catch (RuntimeRefusedException error) {
      // It has ended before.
      if (error.status() != 400) {
        throw error;
      }
    }
  }

  @Override
  public Map<String, Object> approvals(String executionId) {
    return get(pathOf(executionId, "/approvals"), Map.of());
  }

  @Override
  public Map<String, Object> approve(String executionId, Map<String, Object> decision) {
    return post(pathOf(executionId, "/approve"), decision, Map.of());
  }

  @Override
  public List<Map<String, Object>> pendingApprovals(String workflowId) {
    List<Map<String, Object>> found = new ArrayList<>();
    Object cursor = null;
    do {
      Map<String, Object> query =
          Json.object(
              "status", "pending", "workflow_id", workflowId, "limit", PAGE, "cursor", cursor);
      Map<String, Object> page = get("/approvals", query);
      found.addAll(Json.asObjects(page.get("approvals")));
      cursor = page.get("next_cursor");
    } while (cursor != null);
    return found;
  }

  @Override
  public void close() {
    client.close();
  }

  private Map<String, Object> get(String path, Map<String, ?> query) {
    return ask("GET", path, query, null, Map.of());
  }

  private Map<String, Object> post(String path, Object body, Map<String, String> headers) {
    return ask("POST", path, Map.of(), body, headers);
  }

  private Map<String, Object> ask(
      String method, String path, Map<String, ?> query, Object body, Map<String, String> headers) {
    try {
      return client.request(method, path, query, body, headers);
    } catch (SvcException error) {
      throw translate(error);
    }
  }

  private static RuntimeException translate(SvcException error) {
    int status = error.status();
    boolean isRefusedAltogether = status == 401 || status == 403;
    if (status == 0 || status == 408 || status >= 500 || isRefusedAltogether) {
      boolean neverSent = error instanceof ConnectionFailedException failed && failed.neverSent();
      boolean mayHaveActed = !neverSent && !isRefusedAltogether;
      return new RuntimeAwayException(error.getMessage(), mayHaveActed, error);
    }
    return new RuntimeRefusedException(status, error.getMessage(), error);
  }

  private static String pathOf(String executionId, String rest) {
    return "/executions/" + SvcClient.part(executionId) + rest;
  }
}
