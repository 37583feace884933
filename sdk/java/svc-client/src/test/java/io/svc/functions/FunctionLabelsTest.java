package io.svc.functions;

import static io.svc.support.Functions.SOON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.Fatal;
import io.svc.json.Json;
import io.svc.support.Functions;
import io.svc.support.Shared;
import io.svc.support.Stores;
import io.svc.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels that functions set while they run. */
@Timeout(120)
class FunctionLabelsTest {
  private final String name = Shared.name();

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void a_function_is_found_by_its_labels_while_it_waits(String store) throws Exception {
    DurableFunction<Object, Object> order =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.setLabels(Map.of("order", name, "phase", "paying"));
              ctx.step("pay", step -> {});
              ctx.setLabels(Map.of("phase", "waiting"));
              ctx.waitEvent("shipped", Map.class);
              ctx.setLabels(Map.of("phase", "shipped"));
              return null;
            });
    try (SvcClient client = Stores.client(store);
        Worker worker = serve(store, order)) {
      ExecutionHandle execution = client.start(name, null);
      Functions.untilSuspended(execution);
      assertEquals(Map.of("order", name, "phase", "waiting"), labelsOf(execution));
      String query = "labels.phase = waiting and labels.order = " + name;
      try (Stream<Map<String, Object>> found = client.executions().list(Map.of("q", query))) {
        assertEquals(
            List.of(execution.id()), found.map(one -> one.get("execution_id")).toList());
      }

      execution.sendEvent("shipped", Map.of());
      execution.result(SOON);

      assertEquals(Map.of("order", name, "phase", "shipped"), labelsOf(execution));
      assertEquals(
          List.of(
              "labels set-labels",
              "step pay",
              "labels set-labels#2",
              "event shipped",
              "labels set-labels#3"),
          Functions.entriesOf(execution));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void labels_stay_when_a_function_fails_and_when_it_continues_as_new(String store) {
    DurableFunction<Object, Object> loop =
        Functions.of(
            name,
            (ctx, input) -> {
              int round = ((Number) Json.asObject(input).get("round")).intValue();
              ctx.setLabels(Map.of("round-" + round, "begun"));
              if (round < 2) {
                return ctx.continueAsNew(Map.of("round", round + 1));
              }
              throw new Fatal("enough");
            });
    try (SvcClient client = Stores.client(store);
        Worker worker = serve(store, loop)) {
      ExecutionHandle execution = client.start(name, Map.of("round", 0));
      assertTrue(failureOf(execution).getMessage().contains("enough"));
      assertEquals(
          Map.of("round-0", "begun", "round-1", "begun", "round-2", "begun"),
          labelsOf(execution));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {Stores.SQLITE, Stores.POSTGRES})
  void labels_without_room_fail_the_function_and_its_worker_serves_the_next(String store) {
    DurableFunction<Object, Object> overfull =
        Functions.of(
            name,
            (ctx, input) -> {
              Object at = Json.asObject(input).get("at");
              if ("nothing".equals(at)) {
                return Map.of("served", true);
              }
              ctx.setLabels(many(16));
              ctx.setLabels(Map.of("more", "v"));
              if ("step".equals(at)) {
                ctx.step("pay", step -> {});
              }
              if ("wait".equals(at)) {
                ctx.waitEvent("never", Map.class);
              }
              if ("failure".equals(at)) {
                throw new Fatal("failed");
              }
              if ("continuation".equals(at)) {
                return ctx.continueAsNew(input);
              }
              return null;
            });
    try (SvcClient client = Stores.client(store);
        Worker worker = serve(store, overfull)) {
      for (String at : List.of("step", "wait", "failure", "continuation", "end")) {
        ExecutionHandle execution = client.start(name, Map.of("at", at));
        String expected = at.equals("failure") ? "failed" : "at most 16 labels";
        String message = failureOf(execution).getMessage();
        assertTrue(message.contains(expected), at + ": " + message);
      }
      ExecutionHandle next = client.start(name, Map.of("at", "nothing"));
      assertEquals(Map.of("served", true), next.result(SOON));
    }
  }

  @Test
  void calls_may_be_added_to_running_code_changed_and_deleted() throws Exception {
    List<Map<String, String>> codes = List.of(Map.of("a", "1"), Map.of("b", "2"), Map.of());
    try (SvcClient client = Stores.client(Stores.SQLITE)) {
      for (Map<String, String> before : codes) {
        List<ExecutionHandle> executions;
        try (Worker worker = serve(Stores.SQLITE, labelling(before))) {
          executions = codes.stream().map(code -> client.start(name, null)).toList();
          for (ExecutionHandle execution : executions) {
            Functions.untilSuspended(execution);
          }
        }
        for (int at = 0; at < codes.size(); at++) {
          try (Worker worker = serve(Stores.SQLITE, labelling(codes.get(at)))) {
            executions.get(at).sendEvent("go", Map.of());
            assertEquals(Map.of("done", true), executions.get(at).result(SOON));
          }
        }
      }
    }
  }

  private DurableFunction<Object, Object> labelling(Map<String, String> labels) {
    return Functions.of(
        name,
        (ctx, input) -> {
          ctx.step("pay", step -> {});
          if (!labels.isEmpty()) {
            ctx.setLabels(labels);
          }
          ctx.waitEvent("go", Map.class);
          return Map.of("done", true);
        });
  }

  private static Worker serve(String store, DurableFunction<?, ?> function) {
    return Worker.builder().url(Stores.url(store)).function(function).build().start();
  }

  private static Map<String, String> many(int count) {
    return IntStream.range(0, count)
        .boxed()
        .collect(Collectors.toMap(at -> "n" + at, at -> "v"));
  }

  private static Object labelsOf(ExecutionHandle execution) {
    return execution.describe().get("labels");
  }

  private static ExecutionFailedException failureOf(ExecutionHandle execution) {
    return assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
  }
}
