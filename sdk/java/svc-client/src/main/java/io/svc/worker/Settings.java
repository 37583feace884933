package io.svc.worker;

import io.svc.functions.DurableFunction;
import io.svc.internal.Address;
import io.svc.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a worker is built with. */
record Settings(
    Address address,
    String workerId,
    Map<String, Tool> tools,
    Map<String, DurableFunction<?, ?>> functions,
    int concurrency,
    List<String> queues,
    String buildId,
    boolean isRegistering,
    Duration stopTimeout,
    System.Logger logger) {
  /** The members of every claim. */
  Map<String, Object> claimFacts() {
    List<String> queueTypes = new ArrayList<>();
    List<String> names = new ArrayList<>();
    if (!functions.isEmpty()) {
      queueTypes.add("function");
      names.addAll(functions.keySet());
    }
    if (!tools.isEmpty()) {
      queueTypes.addAll(List.of("python_tool", "java_tool"));
      names.addAll(tools.keySet());
    }
    return Json.object(
        "worker_id", workerId,
        "queue_types", queueTypes,
        // Only these: the items of other workers stay theirs.
        "tools", names.stream().distinct().toList(),
        "queues", queues,
        "build_id", buildId);
  }
}
