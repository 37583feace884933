package io.svc.client;

import io.svc.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The approvals of the tenant. */
public final class Approvals {
  private final SvcClient client;

  Approvals(SvcClient client) {
    this.client = client;
  }

  /**
   * Approvals of all executions. The stream reads page after page as it is consumed.
   *
   * @param filters such as {@code status} and {@code workflow_id}
   * @return one object each
   */
  public Stream<Map<String, Object>> list(Map<String, ?> filters) {
    return Pages.of(client, "/approvals", "approvals", filters);
  }

  /**
   * The open approvals of an execution.
   *
   * @param executionId the execution
   * @return one object each
   */
  public List<Map<String, Object>> of(String executionId) {
    String path = "/executions/" + SvcClient.part(executionId) + "/approvals";
    return Json.asObjects(client.request("GET", path, null, null).get("pending"));
  }

  /**
   * Decides an approval of an execution.
   *
   * @param executionId the execution
   * @param decision what is decided
   * @return {@code accepted}, which is false if the approval is no longer open, and the node
   */
  public Map<String, Object> decide(String executionId, Decision decision) {
    String path = "/executions/" + SvcClient.part(executionId) + "/approve";
    return client.request("POST", path, null, decision.toBody());
  }

  /**
   * Decides approvals of several executions, each for itself.
   *
   * @param decisions at most 100, each with the execution as its key
   * @param comment the reason of each decision without a comment; null for none
   * @return one object each: {@code accepted}, and {@code error} where it was refused
   */
  public List<Map<String, Object>> decideAll(
      List<Map.Entry<String, Decision>> decisions, String comment) {
    List<Map<String, Object>> bodies = new ArrayList<>();
    for (Map.Entry<String, Decision> one : decisions) {
      Map<String, Object> body = new LinkedHashMap<>(one.getValue().toBody());
      body.put("execution_id", one.getKey());
      bodies.add(body);
    }
    Map<String, Object> body = Json.object("decisions", bodies, "comment", comment);
    return Json.asObjects(client.request("POST", "/approvals/decide", null, body).get("results"));
  }
}
