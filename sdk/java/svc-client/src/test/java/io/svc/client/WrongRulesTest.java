package io.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.errors.ValidationException;
import io.svc.functions.FunctionOptions;
import io.svc.support.Definitions;
import io.svc.support.Shared;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rules of flow control that no runtime takes. */
class WrongRulesTest {
  private static final StartOptions DEFAULT = StartOptions.DEFAULT;

  @Test
  void a_wrong_rule_of_a_start_is_named_by_the_runtime() {
    SvcClient client = Shared.client();
    String name = Shared.name();
    Definitions.tool(client, name, Map.of());
    Map<StartOptions, String> wrong =
        Map.of(
            DEFAULT.withConcurrency("input.k", -1), "concurrency.limit",
            DEFAULT.withConcurrency("input.k", 1, "quue"), "concurrency.when_full",
            DEFAULT.withRate("input.k", 1, null), "rate.per",
            DEFAULT.withDebounce("input.k", null), "debounce.wait",
            DEFAULT.withBatch("input.k", 1, "2s"), "batch.max",
            DEFAULT.withFairness("input.k", -1), "fairness.weight");
    wrong.forEach(
        (options, member) -> {
          ValidationException refused =
              assertThrows(
                  ValidationException.class,
                  () -> client.start(name, Map.of("k", "a"), options));
          assertEquals(400, refused.status());
          String message = refused.getMessage().replace('/', '.');
          assertTrue(message.contains(member), member + ": " + message);
        });
  }

  @Test
  void a_start_refuses_a_rule_of_another_name() {
    Map<String, Object> misspelt = Map.of("concurency", Map.of("limit", 1));

    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new StartOptions(null, null, null, null, null, misspelt, null, null));

    assertEquals(
        "a start has no rule \"concurency\": the rules are concurrency, rate, debounce, batch,"
            + " fairness",
        refused.getMessage());
  }

  @Test
  void a_rule_of_a_function_without_a_time_is_left_to_the_runtime() {
    FunctionOptions options = FunctionOptions.DEFAULT.withRate("input.k", 1, null);

    assertEquals(Map.of("rate", Map.of("key", "input.k", "limit", 1)), options.workflow());
  }
}
