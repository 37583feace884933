package io.svc.client;

import io.svc.json.Json;
import java.util.Map;
import java.util.stream.Stream;

/** The workflows of the tenant. */
public final class Workflows {
  private final SvcClient client;

  Workflows(SvcClient client) {
    this.client = client;
  }

  /**
   * Registers a workflow. The same definition again changes nothing.
   *
   * @param definition a map or a record, as {@code ir.md} describes it
   * @return {@code workflow_id}, {@code version}, {@code content_hash} …
   */
  public Map<String, Object> register(Object definition) {
    return client.request("POST", "/workflows", null, Json.object("ir", definition));
  }

  /**
   * Registers a workflow.
   *
   * @param json the definition as text
   * @return {@code workflow_id}, {@code version}, {@code content_hash} …
   */
  public Map<String, Object> register(String json) {
    return register(Json.parse(json));
  }

  /**
   * The latest version of a workflow.
   *
   * @param id the workflow
   * @return its definition, and facts about it
   */
  public Map<String, Object> get(String id) {
    return client.request("GET", "/workflows/" + SvcClient.part(id), null, null);
  }

  /**
   * Versions of workflows. The stream reads page after page as it is consumed.
   *
   * @param filters such as {@code workflow_id}
   * @return one object each
   */
  public Stream<Map<String, Object>> list(Map<String, ?> filters) {
    return Pages.of(client, "/workflows", "workflows", filters);
  }
}
