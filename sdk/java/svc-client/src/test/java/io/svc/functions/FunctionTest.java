package io.svc.functions;

import static io.svc.support.Functions.SOON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.Fatal;
import io.svc.internal.turn.Outcome;
import io.svc.json.TypeRef;
import io.svc.support.Functions;
import io.svc.support.Logged;
import io.svc.support.LosingProxy;
import io.svc.support.Shared;
import io.svc.support.Until;
import io.svc.worker.Worker;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps, waits, values and children, against a real runtime. */
class FunctionTest {
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  record Trip(String to) {}

  record Flight(String code, List<Integer> seats) {}

  record Position(int at) {}

  record Booked(int seat, String key, int attempt, int turn, String to) {}

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void an_entry_that_the_runtime_refuses_takes_no_others_with_it(boolean isAtEnd) {
    StepOptions options = isAtEnd ? StepOptions.DEFAULT.recordedAtEnd() : StepOptions.DEFAULT;
    DurableFunction<Object, Object> mixed =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.step("good", Integer.class, step -> 1, options);
              ctx.step("bad", Map.class, step -> Map.of("constructor", 1), options);
              return Map.of();
            });
    try (Worker worker = Functions.serve(mixed)) {
      ExecutionHandle execution = client.start(name, Map.of());
      ExecutionFailedException failed =
          assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
      assertTrue(failed.getMessage().contains("the journal does not take step \"bad\": "));
      assertEquals(List.of("step good"), Functions.entriesOf(execution));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"complete", "fail", "continue"})
  void the_log_tells_once_that_the_runtime_refuses_an_entry(String ending) {
    StepOptions options = StepOptions.DEFAULT.recordedAtEnd();
    DurableFunction<Object, Object> mixed =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.step("bad", Map.class, step -> Map.of("constructor", 1), options);
              return switch (ending) {
                case "fail" -> throw new IllegalStateException("declined");
                case "continue" -> ctx.continueAsNew(Map.of());
                default -> Map.of();
              };
            });
    Logged logged = new Logged();
    Worker.Builder builder = Worker.builder().url(Shared.url()).logger(logged).function(mixed);
    try (Worker worker = builder.build().start()) {
      ExecutionHandle execution = client.start(name, Map.of());
      assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
    }
    List<String> refusals =
        logged.messages(Level.WARNING).stream()
            .filter(line -> line.startsWith("the runtime refuses "))
            .toList();
    assertEquals(1, refusals.size(), refusals.toString());
    String refused = ending.equals("fail") ? "entries" : "the result";
    String line = refusals.getFirst();
    assertTrue(line.startsWith("the runtime refuses " + refused + ": "), line);
    assertFalse(line.contains("declined"), line);
  }

  @Test
  void steps_run_once_and_a_replay_gives_their_typed_results() {
    List<String> runs = new CopyOnWriteArrayList<>();
    DurableFunction<Trip, Booked> book =
        DurableFunction.of(
            name,
            Trip.class,
            Booked.class,
            (ctx, trip) -> {
              Flight flight =
                  ctx.step(
                      "find",
                      Flight.class,
                      step -> {
                        runs.add("find");
                        return new Flight("LH1", List.of(4, 5));
                      });
              List<Integer> seats =
                  ctx.step(
                      "seats",
                      new TypeRef<List<Integer>>() {},
                      step -> flight.seats(),
                      StepOptions.DEFAULT);
              ctx.sleep(Duration.ofMillis(50));
              List<Object> paid = new ArrayList<>();
              ctx.step(
                  "pay",
                  step -> {
                    runs.add("pay");
                    paid.add(step.idempotencyKey());
                    paid.add(step.attempt());
                  });
              return new Booked(
                  seats.get(1), (String) paid.get(0), (int) paid.get(1), ctx.turn(), trip.to());
            });
    try (Worker worker = Functions.serve(book)) {
      Booked booked = client.start(name, new Trip("Lisbon")).result(Booked.class, SOON);
      assertEquals(5, booked.seat());
      assertEquals(1, booked.turn());
      assertEquals(1, booked.attempt());
      assertEquals(64, booked.key().length());
      assertEquals("Lisbon", booked.to());
    }
    assertEquals(List.of("find", "pay"), runs);
  }

  @Test
  void a_step_is_tried_again_and_then_throws_a_step_exception() {
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  int value =
                      ctx.step(
                          "flaky",
                          Integer.class,
                          step -> {
                            attempts.add(step.attempt());
                            if (step.attempt() < 3) {
                              throw new IOException("down");
                            }
                            return 7;
                          },
                          StepOptions.DEFAULT.withRetry(
                              Retry.DEFAULT.withInitialInterval(Duration.ofMillis(5))));
                  try {
                    ctx.step(
                        "broken",
                        step -> {
                          throw new Fatal("full");
                        });
                  } catch (StepException error) {
                    return Map.of(
                        "value", value, "error", error.getMessage(), "class", error.errorClass());
                  }
                  return Map.of();
                }),
            null);

    assertEquals(Map.of("value", 7L, "error", "full", "class", "Fatal"), output);
    assertEquals(List.of(1, 2, 3), attempts);
  }

  @Test
  void the_error_of_a_function_names_the_step_that_failed() {
    DurableFunction<Object, Object> order =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.step(
                  "charge",
                  step -> {
                    throw new Fatal("declined");
                  });
              return null;
            });
    ExecutionFailedException failed =
        assertThrows(ExecutionFailedException.class, () -> Functions.run(order, null));
    assertTrue(failed.getMessage().contains("step charge: declined"), failed.getMessage());
  }

  @Test
  void a_step_that_takes_too_long_is_interrupted_and_fails_with_timeout_error() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  try {
                    ctx.step(
                        "hang",
                        step -> {
                          try {
                            new CountDownLatch(1).await();
                          } catch (InterruptedException error) {
                            interrupted.countDown();
                          }
                        },
                        StepOptions.DEFAULT
                            .withTimeout(Duration.ofMillis(50))
                            .withRetry(Retry.attempts(1)));
                  } catch (StepException error) {
                    return Map.of("class", error.errorClass());
                  }
                  return Map.of();
                }),
            null);

    assertEquals(Map.of("class", "TimeoutError"), output);
    interrupted.await();
  }

  @Test
  void now_random_and_uuid_are_the_same_in_each_turn() {
    List<List<Object>> seen = new CopyOnWriteArrayList<>();
    Functions.run(
        Functions.of(
            name,
            (ctx, input) -> {
              seen.add(List.of(ctx.now(), ctx.random(), ctx.uuid(), ctx.uuid()));
              ctx.sleep(Duration.ofMillis(20));
              return null;
            }),
        null);

    assertEquals(2, seen.size());
    assertEquals(seen.get(0), seen.get(1));
    assertNotEquals(seen.get(0).get(2), seen.get(0).get(3));
  }

  @Test
  void events_approvals_and_time_outs_of_waits() throws Exception {
    DurableFunction<Object, Object> waits =
        Functions.of(
            name,
            (ctx, input) -> {
              Map<?, ?> paid =
                  ctx.waitEvent(
                      "paid",
                      Map.class,
                      EventOptions.DEFAULT.withKey(ctx.executionId() + "-paid"));
              Approval decision =
                  ctx.approval(
                      "ship",
                      ApprovalOptions.DEFAULT
                          .withDescription("Ship it?")
                          .withContext(Map.of("paid", paid)));
              try {
                ctx.waitEvent(
                    "late",
                    Object.class,
                    EventOptions.DEFAULT.withTimeout(Duration.ofMillis(20)));
              } catch (WaitTimeoutException error) {
                return Map.of(
                    "paid", paid,
                    "approved", decision.isApproved(),
                    "comment", decision.comment(),
                    "late", error.waitName());
              }
              return Map.of();
            });
    try (Worker worker = Functions.serve(waits)) {
      ExecutionHandle execution = client.start(name, null);
      execution.sendEvent(execution.id() + "-paid", Map.of("amount", 3));
      Until.isTrue(() -> !execution.approvals().isEmpty());
      execution.approve("in stock");

      assertEquals(
          Map.of(
              "paid", Map.of("amount", 3L),
              "approved", true,
              "comment", "in stock",
              "late", "late"),
          execution.result(SOON));
    }
  }

  @Test
  void a_recorded_error_that_is_let_through_gets_no_other_attempt() {
    EventOptions soon = EventOptions.DEFAULT.withTimeout(Duration.ofMillis(20));
    DurableFunction<Object, Object> late =
        Functions.of(name, (ctx, input) -> ctx.waitEvent("paid", Object.class, soon));
    try (Worker worker = Functions.serve(late)) {
      ExecutionHandle execution = client.start(name, null);
      assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
      String history = execution.history().toString();
      assertTrue(history.contains("retryable=false"), history);
      assertFalse(history.contains("retryable=true"), history);
    }
  }

  @Test
  void call_starts_a_child_and_gives_its_output_or_a_child_exception() {
    DurableFunction<Trip, Flight> child =
        DurableFunction.of(
            name + "-child",
            Trip.class,
            Flight.class,
            (ctx, trip) -> {
              if (trip.to().isEmpty()) {
                throw new Fatal("no");
              }
              return new Flight(trip.to(), List.of());
            });
    DurableFunction<Object, Object> parent =
        Functions.of(
            name,
            (ctx, input) -> {
              Flight good = ctx.call(child, new Trip("LIS"));
              try {
                ctx.call(child, new Trip(""), CallOptions.DEFAULT.withName("bad"));
              } catch (ChildException error) {
                return Map.of("code", good.code(), "class", error.errorClass());
              }
              return Map.of();
            });
    try (Worker worker = Functions.serve(child, parent)) {
      assertEquals(
          Map.of("code", "LIS", "class", "child_failed"), client.start(name, null).result(SOON));
    }
  }

  @Test
  void continue_as_new_begins_another_visit() {
    DurableFunction<Position, Position> poll =
        DurableFunction.of(
            name,
            Position.class,
            Position.class,
            (ctx, input) -> {
              int at = ctx.step("read", Integer.class, step -> input.at());
              return at < 3 ? ctx.continueAsNew(new Position(at + 1)) : new Position(at);
            });

    assertEquals(Map.of("at", 3L), Functions.run(poll, new Position(0)));
  }

  @Test
  void a_caught_signal_of_continue_as_new_is_an_error() {
    ExecutionFailedException error =
        failureOf(
            Functions.of(
                name,
                (ctx, input) -> {
                  try {
                    return ctx.continueAsNew(Map.of());
                  } catch (Throwable signal) {
                    return Map.of("caught", true);
                  }
                }));

    assertEquals("ContinueAsNewError", error.errorClass());
    assertTrue(error.getMessage().contains("caught the signal"), error.getMessage());
  }

  @Test
  void the_code_of_a_step_may_not_use_ctx() {
    ExecutionFailedException error =
        failureOf(
            Functions.of(
                name,
                (ctx, input) -> {
                  ctx.step(
                      "outer",
                      step -> ctx.sleep(Duration.ofSeconds(1)),
                      StepOptions.DEFAULT.withRetry(Retry.attempts(1)));
                  return null;
                }));

    assertTrue(error.getMessage().contains("svc-outer uses it for sleep"), error.getMessage());
  }

  @Test
  void a_long_pause_between_attempts_suspends_the_function() throws Exception {
    DurableFunction<Object, Object> slow =
        Functions.of(
            name,
            (ctx, input) -> {
              ctx.step(
                  "down",
                  step -> {
                    throw new IOException("down");
                  },
                  StepOptions.DEFAULT.withRetry(
                      Retry.attempts(2).withInitialInterval(Duration.ofMinutes(4))));
              return null;
            });
    ExecutionHandle execution;
    try (Worker worker = Functions.serve(slow)) {
      execution = client.start(name, null);
      Functions.untilSuspended(execution);
    }
    assertTrue(Functions.entriesOf(execution).contains("value down/retry[1]"));
    execution.cancel();
  }

  @Test
  void steps_that_are_recorded_at_the_end_need_one_turn_and_few_requests() throws Exception {
    FunctionCode<Object, Object> adding =
        (ctx, input) -> {
          int total = 0;
          for (int at = 0; at < 250; at++) {
            int one = at;
            StepOptions options = StepOptions.DEFAULT.recordedAtEnd();
            total += ctx.step("add", Integer.class, step -> one, options);
          }
          return Map.of("total", total, "turn", ctx.turn());
        };
    try (LosingProxy proxy = new LosingProxy(Shared.url());
        Worker worker =
            Worker.builder()
                .url(proxy.url())
                .function(Functions.of(name, adding))
                .build()
                .start()) {
      Object output = client.start(name, null).result(SOON);

      assertEquals(Map.of("total", 250L * 249 / 2, "turn", 0L), output);
      assertEquals(
          3, proxy.bodies().stream().filter(one -> one.contains("\"entries\":[")).count());
    }
  }

  @Test
  void the_end_of_a_turn_runs_finally_and_no_catch_of_exceptions() {
    List<String> log = new CopyOnWriteArrayList<>();
    Map<String, Object> output =
        Functions.run(
            Functions.of(
                name,
                (ctx, input) -> {
                  try {
                    ctx.sleep(Duration.ofMillis(20));
                  } catch (Exception error) {
                    log.add("caught");
                  } finally {
                    log.add("finally");
                  }
                  return null;
                }),
            null);

    assertEquals(Map.of(), output);
    assertEquals(List.of("finally", "finally"), log);
  }

  @Test
  void code_that_waits_for_the_outside_world_is_interrupted_when_its_worker_stops()
      throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    FunctionCode<Object, Object> wrong =
        (ctx, input) -> {
          begun.countDown();
          new CountDownLatch(1).await();
          return null;
        };
    ExecutionHandle execution;
    try (Worker worker =
        Worker.builder()
            .url(Shared.url())
            .stopTimeout(Duration.ofMillis(50))
            .function(Functions.of(name, wrong))
            .build()
            .start()) {
      execution = client.start(name, null);
      begun.await();
    }
    DurableFunction<Object, Object> right =
        Functions.of(name, (ctx, input) -> Map.of("attempt", ctx.attempt()));
    try (Worker worker = Functions.serve(right)) {
      assertEquals(Map.of("attempt", 0L), execution.result(SOON));
    }
  }

  @Test
  void a_budget_that_is_used_up_lets_no_further_step_run() {
    List<String> ran = new CopyOnWriteArrayList<>();
    DurableFunction<Object, Object> asking =
        Functions.of(
                name,
                (ctx, input) -> {
                  ctx.step("first", step -> step.reportUsage(new Usage("m", 100, 20, null)));
                  ctx.step(
                      "second",
                      step -> {
                        ran.add("second");
                      });
                  return null;
                })
            .with(
                FunctionOptions.DEFAULT.withWorkflow(
                    Map.of("token_budget", 100, "on_budget_exceeded", "fail")));

    assertEquals("budget_exceeded", failureOf(asking).errorClass());
    assertEquals(List.of(), ran);
  }

  @Test
  void executions_of_a_function_keep_to_its_concurrency() throws Exception {
    DurableFunction<?, ?> lend =
        Functions.of(
                name,
                (ctx, input) -> {
                  ctx.waitEvent("back", Object.class);
                  return null;
                })
            .with(FunctionOptions.DEFAULT.withConcurrency("input.book", 1));
    try (Worker worker = Functions.serve(lend)) {
      ExecutionHandle first = client.start(name, Map.of("book", "tides"));
      ExecutionHandle second = client.start(name, Map.of("book", "tides"));
      Functions.untilSuspended(first);
      assertEquals(1, second.history().size());
      first.sendEvent("back", Map.of());
      first.result(SOON);
      Functions.untilSuspended(second);
      second.sendEvent("back", Map.of());
      second.result(SOON);
    }
    assertEquals(
        Map.of("key", "input.book", "limit", 1), ((Map<?, ?>) lend.toIr()).get("concurrency"));
    assertEquals(
        Map.of("limit", 2, "when_full", "refuse"),
        FunctionOptions.DEFAULT.withConcurrency(null, 2, "refuse").workflow().get("concurrency"));
  }

  @Test
  void executions_of_a_function_are_fair_between_keys() {
    DurableFunction<?, ?> lend =
        Functions.of(name, (ctx, input) -> Map.of("fair", true))
            .with(FunctionOptions.DEFAULT.withFairness("input.reader", "input.weight"));
    assertEquals(
        Map.of("fair", true), Functions.run(lend, Map.of("reader", "ada", "weight", 3)));
    assertEquals(
        Map.of("key", "input.reader", "weight", "input.weight"),
        ((Map<?, ?>) lend.toIr()).get("fairness"));
    assertEquals(
        Map.of("key", "input.reader"),
        FunctionOptions.DEFAULT.withFairness("input.reader", null).workflow().get("fairness"));
  }

  @Test
  void usage_of_models_is_recorded_with_the_step() {
    ExecutionHandle execution;
    try (Worker worker =
        Functions.serve(
            Functions.of(
                name,
                (ctx, input) -> {
                  ctx.step(
                      "ask",
                      step -> {
                        step.reportUsage(new Usage("gpt", 10, 5, 0.5));
                        step.reportUsage(new Usage("gpt", 1, 2, 0.25));
                      });
                  return null;
                }))) {
      execution = client.start(name, null);
      execution.result(SOON);
    }
    String history = execution.history().toString();
    assertTrue(history.contains("input_tokens=11"), history);
    assertTrue(history.contains("cost_usd=0.75"), history);
  }

  @Test
  void definitions_that_cannot_be_served_are_refused() {
    assertThrows(
        IllegalArgumentException.class, () -> Functions.of("a b", (ctx, input) -> null));
    DurableFunction<Object, Object> pinned =
        Functions.of("pinned", (ctx, input) -> null).with(FunctionOptions.DEFAULT.pinnedToBuild());
    assertThrows(
        IllegalArgumentException.class, () -> Worker.builder().function(pinned).build());
    assertThrows(
        IllegalArgumentException.class,
        () -> Worker.builder().function(pinned).function(pinned));
  }

  private ExecutionFailedException failureOf(DurableFunction<?, ?> function) {
    return assertThrows(ExecutionFailedException.class, () -> Functions.run(function, null));
  }

  @Test
  void aFailedRollbackGetsAnotherAttemptUnlessItIsFatal() {
    assertTrue(failed(new WaitTimeoutException("it came too late", "paid"), false).isFinal());
    assertFalse(failed(new WaitTimeoutException("it came too late", "paid"), true).isFinal());
    assertTrue(failed(new Fatal("no way back"), true).isFinal());
  }

  private static Outcome failed(Throwable error, boolean rollsBack) {
    return new Outcome(Outcome.Kind.FAILED, List.of(), Map.of(), error, null, rollsBack);
  }
}
