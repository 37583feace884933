package io.svc.support;

import io.svc.client.SvcClient;
import java.util.LinkedHashMap;
import java.util.Map;

/** Workflows of one node. */
public final class Definitions {
  private Definitions() {}

  /** A workflow that calls the tool {@code NAME.charge}. */
  public static void tool(SvcClient client, String name, Map<String, ?> node) {
    Map<String, Object> kind =
        Map.of("type", "python_fn", "module", name, "function", "charge");
    register(client, name, kind, node);
  }

  public static void register(
      SvcClient client, String name, Map<String, Object> kind, Map<String, ?> node) {
    Map<String, Object> run = new LinkedHashMap<>(Map.of("kind", kind, "output_key", "out"));
    run.putAll(node);
    client.workflows().register(Map.of("workflow_id", name, "nodes", Map.of("run", run)));
  }
}
