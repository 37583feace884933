package io.svc.functions;

import static io.svc.support.Functions.SOON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionCancelledException;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.Fatal;
import io.svc.support.Functions;
import io.svc.support.LosingProxy;
import io.svc.support.Shared;
import io.svc.support.Until;
import io.svc.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rollbacks, changed code and lost answers, against a real runtime. */
class ReplayTest {
  private static final FunctionOptions ONE_ATTEMPT =
      FunctionOptions.DEFAULT.withRetryPolicy(
          Map.of("max_attempts", 1, "non_retryable_on", List.of("NonDeterminismError")));
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  @Test
  void rollbacks_run_in_reverse_order_after_a_failure() {
    List<String> done = new CopyOnWriteArrayList<>();
    DurableFunction<Object, Object> trip =
        Functions.of(
            name,
            (ctx, input) -> {
              for (String what : List.of("flight", "hotel")) {
                ctx.onRollback(what, step -> done.add("cancel " + what));
                ctx.step(
                    what,
                    step -> {
                      done.add(what);
                    });
              }
              ctx.step(
                  "car",
                  step -> {
                    throw new Fatal("no car");
                  });
              return null;
            });

    ExecutionFailedException error =
        assertThrows(ExecutionFailedException.class, () -> Functions.run(trip, null));

    assertTrue(error.getMessage().contains("no car"), error.getMessage());
    assertEquals("run", error.nodeId().orElseThrow());
    assertEquals("Fatal", error.errorClass());
    assertEquals(List.of("flight", "hotel", "cancel hotel", "cancel flight"), done);
  }

  @Test
  void rollbacks_run_after_a_cancel() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    DurableFunction<Object, Object> trip =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.onRollback("flight", step -> done.countDown());
              ctx.step("flight", String.class, step -> "LH1");
              return ctx.waitEvent("never", Object.class);
            });
    try (Worker worker = Functions.serve(trip)) {
      ExecutionHandle execution = client.start(name, null);
      Functions.untilSuspended(execution);
      execution.cancel();
      assertTrue(done.await(30, TimeUnit.SECONDS));
      assertThrows(ExecutionCancelledException.class, () -> execution.result(SOON));
    }
  }

  @Test
  void continue_as_new_is_refused_while_rollbacks_are_registered() {
    DurableFunction<Object, Object> poll =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.onRollback("it", step -> {});
              return ctx.continueAsNew(Map.of());
            });

    ExecutionFailedException error =
        assertThrows(ExecutionFailedException.class, () -> Functions.run(poll, null));

    assertEquals("ContinueAsNewError", error.errorClass());
  }

  @Test
  void changed_code_is_refused_before_anything_new_runs() throws Exception {
    List<String> ran = new CopyOnWriteArrayList<>();
    FunctionCode<Object, Object> changed =
        (ctx, input) -> {
          ctx.step(
              "check",
              step -> {
                ran.add("check");
              });
          ctx.step("charge", step -> {});
          return ctx.waitEvent(name, Object.class);
        };

    ExecutionFailedException error =
        assertThrows(ExecutionFailedException.class, () -> change(this::old, changed));

    assertEquals("NonDeterminismError", error.errorClass());
    assertTrue(
        error
            .getMessage()
            .contains("The journal has step \"charge\", and the code asks for step \"check\"."),
        error.getMessage());
    assertEquals(List.of(), ran);
  }

  @Test
  void code_that_asks_for_less_or_for_another_kind_is_refused() {
    ExecutionFailedException less =
        assertThrows(
            ExecutionFailedException.class, () -> change(this::old, (ctx, input) -> null));
    ExecutionFailedException other =
        assertThrows(
            ExecutionFailedException.class,
            () ->
                change(
                    this::old,
                    (ctx, input) -> {
                      ctx.sleep("charge", Duration.ofSeconds(1));
                      return null;
                    }));

    assertTrue(less.getMessage().contains("the code asks for nothing more"), less.getMessage());
    assertTrue(other.getMessage().contains("asks for timer \"charge\""), other.getMessage());
  }

  @Test
  void version_lets_new_code_continue_an_old_journal() throws Exception {
    FunctionCode<Object, Object> versioned =
        (ctx, input) -> {
          int first = ctx.version("check first", 1);
          if (first >= 1) {
            ctx.step("check", step -> {});
          }
          ctx.step("charge", step -> {});
          ctx.waitEvent(name, Object.class);
          return Map.of("version", first);
        };

    assertEquals(Map.of("version", 0L), change(this::old, versioned));
    assertEquals(Map.of("version", 1L), change(versioned, versioned));
  }

  @ParameterizedTest
  @ValueSource(strings = {"steps", "suspend", "complete", "continue", "fail"})
  void a_lost_answer_about_a_journal_records_everything_once(String kind) throws Exception {
    List<String> ran = new CopyOnWriteArrayList<>();
    try (LosingProxy losing = new LosingProxy(Shared.url(), kind);
        Worker worker =
            Worker.builder()
                .url(losing.url())
                .function(
                    name,
                    Map.class,
                    (ctx, input) -> {
                      ctx.step(
                          "first",
                          step -> {
                            ran.add("first");
                          });
                      ctx.sleep(Duration.ofMillis(20));
                      ctx.step(
                          "second",
                          step -> {
                            ran.add("second");
                          });
                      if (kind.equals("continue") && !input.containsKey("again")) {
                        return ctx.continueAsNew(Map.of("again", true));
                      }
                      if (kind.equals("fail") && ctx.attempt() == 0) {
                        throw new IOException("once");
                      }
                      return Map.of("done", true);
                    })
                .build()
                .start()) {
      assertEquals(Map.of("done", true), client.start(name, null).result(SOON));
      Until.isTrue(losing::hasLostAll);
    }
    List<String> once = List.of("first", "second");
    assertEquals(kind.equals("continue") ? Functions.concat(once, once) : once, ran);
  }

  @Test
  void a_function_that_stops_with_its_worker_continues_with_another() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    List<String> ran = new CopyOnWriteArrayList<>();
    FunctionCode<Object, Object> stuck =
        (ctx, input) -> {
          ctx.step(
              "first",
              step -> {
                ran.add("first");
              });
          ctx.step(
              "second",
              step -> {
                begun.countDown();
                new CountDownLatch(1).await();
              });
          return null;
        };
    FunctionCode<Object, Object> free =
        (ctx, input) -> {
          ctx.step(
              "first",
              step -> {
                ran.add("again");
              });
          ctx.step("second", step -> {});
          return Map.of("attempt", ctx.attempt());
        };
    ExecutionHandle execution;
    try (Worker worker =
        Worker.builder()
            .url(Shared.url())
            .stopTimeout(Duration.ofMillis(50))
            .function(Functions.of(name, stuck))
            .build()
            .start()) {
      execution = client.start(name, null);
      begun.await();
    }
    try (Worker worker = Functions.serve(Functions.of(name, free))) {
      assertEquals(Map.of("attempt", 0L), execution.result(SOON));
    }
    assertEquals(List.of("first"), ran);
  }

  private Object old(FunctionContext ctx, Object input) {
    ctx.step("charge", step -> {});
    ctx.waitEvent(name, Object.class);
    return Map.of();
  }

  /** Begins with the old code, up to its wait, and ends with the new code. */
  private Object change(
      FunctionCode<Object, Object> before, FunctionCode<Object, Object> after) throws Exception {
    ExecutionHandle execution;
    try (Worker worker = Functions.serve(Functions.of(name, before).with(ONE_ATTEMPT))) {
      execution = client.start(name, null);
      Functions.untilSuspended(execution);
    }
    try (Worker worker = Functions.serve(Functions.of(name, after).with(ONE_ATTEMPT))) {
      execution.sendEvent(name, Map.of());
      return execution.result(SOON);
    }
  }
}
