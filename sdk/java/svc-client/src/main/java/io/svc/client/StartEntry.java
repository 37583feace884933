package io.svc.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * One start of many.
 *
 * @param workflowId the workflow
 * @param input an object of JSON: a map or a record; null is an empty one
 * @param options version, priority, and a key of your own; a batch has no trace
 */
public record StartEntry(String workflowId, Object input, StartOptions options) {
  /**
   * A start of the latest version.
   *
   * @param workflowId the workflow
   * @param input an object of JSON: a map or a record; null is an empty one
   */
  public StartEntry(String workflowId, Object input) {
    this(workflowId, input, StartOptions.DEFAULT);
  }

  /** All attempts carry one key. */
  Map<String, Object> toBody() {
    String key = options.idempotencyKey();
    Map<String, Object> body = new LinkedHashMap<>(options.toBody(workflowId, input));
    body.put("idempotency_key", key != null ? key : UUID.randomUUID().toString());
    return body;
  }
}
