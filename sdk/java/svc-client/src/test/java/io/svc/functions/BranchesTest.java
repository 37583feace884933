package io.svc.functions;

import static io.svc.support.Functions.SOON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionFailedException;
import io.svc.support.Functions;
import io.svc.support.Shared;
import io.svc.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Branches of functions, against a real runtime. */
class BranchesTest {
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  @Test
  void branches_name_their_steps_and_run_side_by_side() {
    CyclicBarrier together = new CyclicBarrier(2);
    DurableFunction<Object, Object> fan =
        Functions.of(
            name,
            (ctx, input) -> {
              Branch<String> meet =
                  () -> {
                    ctx.step("meet", step -> together.await(20, TimeUnit.SECONDS));
                    return "met";
                  };
              List<String> met = ctx.gather(List.of(meet, meet));
              List<Integer> doubled =
                  ctx.map(
                      List.of(1, 2, 3),
                      item -> ctx.step("work", Integer.class, step -> item * 2),
                      MapOptions.DEFAULT.withConcurrency(2));
              List<Object> mixed =
                  ctx.gather(List.of(() -> 1, () -> "two", () -> ctx.map(List.of(), one -> one)));
              return Map.of("met", met, "doubled", doubled, "mixed", mixed);
            });
    try (Worker worker = Functions.serve(fan)) {
      ExecutionHandle execution = client.start(name, null);
      assertEquals(
          Map.of(
              "met", List.of("met", "met"),
              "doubled", List.of(2L, 4L, 6L),
              "mixed", List.of(1L, "two", List.of())),
          execution.result(SOON));
      assertEquals(
          Set.of(
              "step all[0]/meet",
              "step all[1]/meet",
              "step map[0]/work",
              "step map[1]/work",
              "step map[2]/work"),
          new TreeSet<>(Functions.entriesOf(execution)));
    }
  }

  @Test
  void a_race_has_the_same_winner_in_each_turn_and_ends_the_losers() {
    List<String> log = new CopyOnWriteArrayList<>();
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  List<String> ended = new ArrayList<>();
                  String winner =
                      ctx.race(
                          List.of(
                              () -> {
                                try {
                                  return ctx.waitEvent("never", String.class);
                                } catch (Exception error) {
                                  log.add("caught");
                                  throw error;
                                } finally {
                                  ended.add("never");
                                }
                              },
                              () -> {
                                ctx.sleep("soon", Duration.ofMillis(20));
                                return "timer";
                              }));
                  ctx.sleep("after", Duration.ofMillis(20));
                  return Map.of("winner", winner, "ended", ended);
                }),
            null);

    assertEquals(Map.of("winner", "timer", "ended", List.of("never")), output);
    assertEquals(List.of(), log);
  }

  @Test
  void the_first_exception_of_a_branch_is_thrown_as_it_is() {
    AtomicInteger begun = new AtomicInteger();
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  try {
                    ctx.map(
                        List.of(1, 2, 3, 4),
                        item -> {
                          begun.incrementAndGet();
                          if (item == 2) {
                            throw new IOException("item " + item);
                          }
                          return ctx.waitEvent("never" + item, Object.class);
                        },
                        MapOptions.DEFAULT.withConcurrency(2));
                  } catch (IOException error) {
                    return Map.of("error", error.getMessage(), "begun", begun.get());
                  }
                  return Map.of();
                }),
            null);

    assertEquals(Map.of("error", "item 2", "begun", 2L), output);
  }

  @Test
  void many_branches_over_many_turns_come_out_the_same() {
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  StringBuilder order = new StringBuilder();
                  ctx.map(
                      List.of(30, 10, 20),
                      item -> {
                        ctx.sleep(Duration.ofMillis(item));
                        order.append(item).append(' ');
                        ctx.step("note", step -> {});
                        order.append(item).append(' ');
                        return null;
                      });
                  String first = ctx.step("order", String.class, step -> order.toString());
                  ctx.sleep(Duration.ofMillis(10));
                  return Map.of("first", first, "again", order.toString());
                }),
            null);

    assertEquals(output.get("first"), output.get("again"));
  }

  @Test
  void code_that_waits_for_nothing_that_its_context_gives_is_refused() {
    DurableFunction<Object, Object> race =
        Functions.of(name, (ctx, input) -> ctx.race(List.of()))
            .with(FunctionOptions.DEFAULT.withRetryPolicy(Map.of("max_attempts", 1)));

    ExecutionFailedException error =
        assertThrows(ExecutionFailedException.class, () -> Functions.run(race, null));

    assertTrue(error.getMessage().contains("at least one branch"), error.getMessage());
  }
}
