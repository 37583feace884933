package io.svc.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.StartOptions;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.Fatal;
import io.svc.json.TypeRef;
import io.svc.support.Definitions;
import io.svc.support.Shared;
import io.svc.support.Stores;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels that tools set with their output, against a runtime on each of the stores. */
@Timeout(120)
class LabelsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private final String name = Shared.name();

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void labels_of_a_tool_go_with_its_output_and_find_the_execution(String store) {
    ToolFunction<Map<String, String>> code =
        (input, ctx) -> {
          ctx.setLabels(Map.of("risk", "low", "order", name));
          ctx.setLabels(Map.of("risk", "high"));
          return Map.of("score", 98);
        };
    try (SvcClient client = Stores.client(store);
        Worker worker = worker(store, code).build().start()) {
      StartOptions labelled =
          StartOptions.DEFAULT.withLabels(Map.of("tier", "gold", "risk", "unknown"));

      ExecutionHandle execution = client.start(name, null, labelled);
      execution.result(SOON);

      assertEquals(Map.of("tier", "gold", "risk", "high", "order", name), labelsOf(execution));
      String query = "labels.risk = high and labels.order = " + name;
      try (Stream<Map<String, Object>> found = client.executions().list(Map.of("q", query))) {
        assertEquals(
            List.of(execution.id()), found.map(one -> one.get("execution_id")).toList());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void items_that_end_together_keep_their_own_labels(String store) {
    CyclicBarrier together = new CyclicBarrier(3);
    ToolFunction<Map<String, String>> code =
        (input, ctx) -> {
          ctx.setLabels(Map.of("number", input.get("number")));
          together.await(20, TimeUnit.SECONDS);
          return null;
        };
    try (SvcClient client = Stores.client(store);
        Worker worker = worker(store, code).concurrency(3).build().start()) {
      List<ExecutionHandle> all =
          Stream.of("0", "1", "2").map(at -> client.start(name, Map.of("number", at))).toList();
      for (int at = 0; at < 3; at++) {
        all.get(at).result(SOON);
        assertEquals(Map.of("number", String.valueOf(at)), labelsOf(all.get(at)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void an_attempt_that_fails_sets_no_label(String store) {
    ToolFunction<Map<String, String>> code =
        (input, ctx) -> {
          ctx.setLabels(Map.of("attempt-" + ctx.attempt(), "ran"));
          if (ctx.attempt() == 0) {
            throw new IllegalStateException("not yet");
          }
          return null;
        };
    try (SvcClient client = Stores.client(store);
        Worker worker = worker(store, code).build().start()) {
      ExecutionHandle execution = client.start(name, null);
      execution.result(SOON);
      assertEquals(Map.of("attempt-1", "ran"), labelsOf(execution));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void labels_without_room_and_labels_that_none_can_have_fail_the_tool(String store) {
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    ToolFunction<Map<String, String>> code =
        (input, ctx) -> {
          attempts.add(ctx.attempt());
          ctx.setLabels(input);
          return null;
        };
    try (SvcClient client = Stores.client(store);
        Worker worker = worker(store, code).build().start()) {
      StartOptions nearlyFull = StartOptions.DEFAULT.withLabels(many(15));
      ExecutionHandle full = client.start(name, Map.of("one", "1", "two", "2"), nearlyFull);
      String error = failureOf(full).getMessage();
      assertTrue(error.contains("at most 16 labels"), error);
      assertEquals(many(15), labelsOf(full));
      attempts.clear();

      ExecutionHandle wrong = client.start(name, Map.of("the risk", "high"));
      error = failureOf(wrong).getMessage();
      assertTrue(error.contains("begins with a letter or a digit: the risk"), error);
      assertEquals(List.of(0), attempts);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void as_many_labels_as_an_execution_can_have_are_set(String store) {
    Map<String, String> most = new HashMap<>(many(14));
    most.put("a".repeat(128), "😀".repeat(64));
    most.put("A.b:c/d-e_1", "ü");
    ToolFunction<Map<String, String>> code =
        (input, ctx) -> {
          ctx.setLabels(most);
          return null;
        };
    try (SvcClient client = Stores.client(store);
        Worker worker = worker(store, code).build().start()) {
      ExecutionHandle execution = client.start(name, null);
      execution.result(SOON);
      assertEquals(most, labelsOf(execution));
    }
  }

  @Test
  void a_context_without_a_runtime_shows_its_labels() {
    ToolContext context = context();
    context.setLabels(Map.of("risk", "low", "order", "o-7"));
    context.setLabels(Map.of("risk", "high"));

    assertEquals(Map.of("risk", "high", "order", "o-7"), context.labels().asMap());
    assertEquals(Map.of(), context().labels().asMap());
  }

  @Test
  void labels_that_the_runtime_refuses_are_refused_where_they_are_set() {
    refuses(Map.of("", "v"), "the name of a label");
    refuses(Map.of("_a", "v"), "the name of a label");
    refuses(Map.of("a b", "v"), "the name of a label");
    refuses(Map.of("a\n", "v"), "the name of a label");
    refuses(Map.of("a".repeat(129), "v"), "the name of a label");
    refuses(Map.of("a", ""), "the label a must have 1 to 128 characters");
    refuses(Map.of("a", "v".repeat(129)), "the label a must have 1 to 128 characters");
    refuses(Map.of("a", "😀".repeat(65)), "the label a must have 1 to 128 characters");
    refuses(Map.of("a", "v\0"), "without U+0000");
    refuses(many(16), "at most 16 labels: 17 are set");
    Map<String, String> none = new HashMap<>();
    none.put("a", null);
    refuses(none, "the label a must be text, not null");
  }

  private static void refuses(Map<String, String> wrong, String message) {
    Labels labels = new Labels();
    labels.set(Map.of("kept", "v"));
    Fatal error = assertThrows(Fatal.class, () -> labels.set(wrong));
    assertTrue(error.getMessage().contains(message), error.getMessage());
    assertEquals(Map.of("kept", "v"), labels.asMap());
  }

  private static Map<String, String> many(int count) {
    return IntStream.range(0, count)
        .boxed()
        .collect(Collectors.toMap(at -> "n" + at, at -> "v"));
  }

  /** Registers a workflow whose only tool is this code. */
  private Worker.Builder worker(String store, ToolFunction<Map<String, String>> code) {
    try (SvcClient client = Stores.client(store)) {
      Map<String, Object> twice = Map.of("max_attempts", 2, "initial_delay", "1ms");
      Definitions.tool(client, name, Map.of("retry_policy", twice));
    }
    return Worker.builder()
        .url(Stores.url(store))
        .tool(name + ".charge", new TypeRef<Map<String, String>>() {}, code);
  }

  private static Object labelsOf(ExecutionHandle execution) {
    return execution.describe().get("labels");
  }

  private static ExecutionFailedException failureOf(ExecutionHandle execution) {
    return assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
  }

  private static ToolContext context() {
    return new ToolContext(
        "exec_1",
        "score",
        "item_1",
        0,
        "key",
        Optional.empty(),
        () -> false,
        System.getLogger("test"));
  }
}
