package io.svc.support;

import io.svc.client.ExecutionHandle;
import io.svc.functions.DurableFunction;
import io.svc.functions.FunctionCode;
import io.svc.json.Json;
import io.svc.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs functions on the shared runtime. */
public final class Functions {
  public static final Duration SOON = Duration.ofSeconds(30);

  private Functions() {}

  public static DurableFunction<Object, Object> of(String name, FunctionCode<Object, Object> code) {
    return DurableFunction.of(name, Object.class, Object.class, code);
  }

  public static Worker serve(DurableFunction<?, ?>... functions) {
    Worker.Builder builder = Worker.builder().url(Shared.url());
    List.of(functions).forEach(builder::function);
    return builder.build().start();
  }

  public static Map<String, Object> run(DurableFunction<?, ?> function, Object input) {
    try (Worker worker = serve(function)) {
      return Json.asObject(Shared.client().start(function.name(), input).result(SOON));
    }
  }

  public static void untilSuspended(ExecutionHandle execution) throws Exception {
    Until.isTrue(
        () ->
            execution.history().stream()
                .anyMatch(event -> "NodeSuspended".equals(event.get("kind"))));
  }

  /** The kind and the identity of each entry. */
  public static List<String> entriesOf(ExecutionHandle execution) {
    return execution.history().stream()
        .filter(event -> "StepRecorded".equals(event.get("kind")))
        .flatMap(event -> entriesIn(event).stream())
        .map(entry -> entry.get("kind") + " " + entry.get("identity"))
        .toList();
  }

  private static List<Map<String, Object>> entriesIn(Map<String, Object> event) {
    return Json.asObjects(Json.asObject(event.get("payload")).get("entries"));
  }

  public static <T> List<T> concat(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }
}
