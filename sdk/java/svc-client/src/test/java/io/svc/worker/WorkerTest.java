package io.svc.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;
import io.svc.support.Definitions;
import io.svc.support.Logged;
import io.svc.support.Shared;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Against a real runtime. */
class WorkerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  record Order(String id, int amount) {}

  record Receipt(int charged, boolean isVirtual) {}

  @Test
  void a_tool_gets_a_record_and_returns_one_on_a_virtual_thread() {
    Definitions.tool(client, name, Map.of());
    try (Worker worker =
        builder()
            .tool(
                name + ".charge",
                Order.class,
                (order, ctx) -> new Receipt(order.amount(), Thread.currentThread().isVirtual()))
            .build()
            .start()) {
      assertEquals(
          new Receipt(25, true),
          client.run(name, new Order("A-1", 25), Receipt.class, SOON));
      assertTrue(worker.isRunning());
    }
  }

  @Test
  void a_tool_knows_its_call_and_null_is_an_empty_object() {
    Definitions.tool(client, name, Map.of());
    AtomicReference<ToolContext> seen = new AtomicReference<>();
    try (Worker worker =
        builder()
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  seen.set(ctx);
                  return null;
                })
            .build()
            .start()) {
      ExecutionHandle execution = client.start(name, null);
      assertEquals(Map.of(), execution.result(SOON));
      assertEquals(execution.id(), seen.get().executionId());
    }
    assertEquals("run", seen.get().nodeId());
    assertEquals(0, seen.get().attempt());
    assertEquals(64, seen.get().idempotencyKey().length());
    assertFalse(seen.get().isCancelled());
  }

  static final class Annotated {
    private final String name;

    Annotated(String name) {
      this.name = name;
    }

    @SvcTool("annotated.both")
    Map<String, Object> both(Order order, ToolContext ctx) {
      return Map.of("by", name, "id", order.id(), "attempt", ctx.attempt());
    }

    @SvcTool("annotated.input")
    private List<?> wrong(Map<String, Object> input) {
      return List.of(input);
    }

    @SvcTool("annotated.none")
    void none() throws IOException {
      throw new IOException("on purpose");
    }
  }

  @Test
  void methods_with_the_annotation_are_tools() {
    Map<String, Object> both =
        Map.of("type", "java_fn", "class_name", "annotated", "method", "both");
    Map<String, Object> none =
        Map.of("type", "java_fn", "class_name", "annotated", "method", "none");
    Map<String, Object> input =
        Map.of("type", "java_fn", "class_name", "annotated", "method", "input");
    Map<String, Object> once = Map.of("retry_policy", Map.of("max_attempts", 1));
    Definitions.register(client, name, both, Map.of());
    Definitions.register(client, name + "-none", none, once);
    Definitions.register(client, name + "-input", input, once);
    try (Worker worker = builder().register(new Annotated("x")).build().start()) {
      assertEquals(
          Map.of("by", "x", "id", "A-1", "attempt", 0L),
          client.start(name, new Order("A-1", 1)).result(SOON));
      assertEquals("IOException", failureOf(client.start(name + "-none", null)).errorClass());
      ExecutionFailedException wrong = failureOf(client.start(name + "-input", null));
      assertEquals("SerializationError", wrong.errorClass());
      assertTrue(wrong.getMessage().contains("must be a JSON object, not"), wrong.getMessage());
    }
  }

  @Test
  void items_run_side_by_side_up_to_the_concurrency() {
    Definitions.tool(client, name, Map.of());
    CyclicBarrier together = new CyclicBarrier(4);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    try (Worker worker =
        builder()
            .concurrency(4)
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  together.await(20, TimeUnit.SECONDS);
                  running.decrementAndGet();
                  return null;
                })
            .build()
            .start()) {
      List<ExecutionHandle> all =
          IntStream.range(0, 12).mapToObj(at -> client.start(name, null)).toList();
      all.forEach(one -> one.result(SOON));
    }
    assertEquals(4, most.get());
  }

  @Test
  void workers_leave_the_tools_of_others_alone() {
    Definitions.tool(client, name, Map.of());
    try (Worker other =
            builder().tool(name + ".other", Map.class, (input, ctx) -> Map.of("by", 2)).build();
        Worker own =
            builder().tool(name + ".charge", Map.class, (input, ctx) -> Map.of("by", 1)).build()) {
      ExecutionHandle execution = client.start(name, null);
      assertEquals(0, other.runOnce());
      assertEquals(1, own.runOnce());
      assertEquals(Map.of("by", 1L), execution.result(SOON));
    }
  }

  @Test
  void an_exception_fails_the_attempt_and_another_follows() {
    Definitions.tool(client, name, Map.of("retry_policy", retries(3)));
    try (Worker worker =
        builder()
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  if (ctx.attempt() == 0) {
                    throw new IOException("the bank is away");
                  }
                  return Map.of("attempt", ctx.attempt());
                })
            .build()
            .start()) {
      ExecutionHandle execution = client.start(name, null);
      assertEquals(Map.of("attempt", 1L), execution.result(SOON));
      assertTrue(execution.history().toString().contains("the bank is away"));
      assertTrue(execution.history().toString().contains("IOException"));
    }
  }

  @Test
  void fatal_allows_no_further_attempt() {
    Definitions.tool(client, name, Map.of("retry_policy", retries(3)));
    AtomicInteger calls = new AtomicInteger();
    try (Worker worker =
        builder()
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  calls.incrementAndGet();
                  throw new Fatal("no such card");
                })
            .build()
            .start()) {
      ExecutionFailedException error = failureOf(client.start(name, null));
      assertEquals("Fatal", error.errorClass());
      assertTrue(error.getMessage().contains("no such card"));
    }
    assertEquals(1, calls.get());
  }

  @Test
  void input_of_another_shape_is_fatal_and_names_the_place() {
    Definitions.tool(client, name, Map.of("retry_policy", retries(3)));
    try (Worker worker =
        builder().tool(name + ".charge", Order.class, (order, ctx) -> Map.of()).build().start()) {
      ExecutionFailedException error = failureOf(client.start(name, Map.of("amount", "much")));
      assertEquals("ValidationError", error.errorClass());
      assertTrue(error.getMessage().contains("input.amount must be int, not text"));
    }
  }

  @Test
  void retry_after_replaces_the_back_off() {
    Map<String, Object> slow =
        Map.of("max_attempts", 2, "initial_delay", "10m", "max_delay", "10m");
    Definitions.tool(client, name, Map.of("retry_policy", slow));
    try (Worker worker =
        builder()
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  if (ctx.attempt() == 0) {
                    throw new RetryAfter(Duration.ofMillis(20), new IOException("busy"));
                  }
                  return Map.of();
                })
            .build()
            .start()) {
      ExecutionHandle execution = client.start(name, null);
      execution.result(SOON);
      assertTrue(execution.history().toString().contains("IOException"));
    }
  }

  @Test
  void run_once_takes_what_waits_and_returns() {
    Definitions.tool(client, name, Map.of());
    try (Worker worker =
        builder().concurrency(2).tool(name + ".charge", Map.class, (input, ctx) -> null).build()) {
      List<ExecutionHandle> all =
          IntStream.range(0, 5).mapToObj(at -> client.start(name, null)).toList();

      assertEquals(5, worker.runOnce());
      assertEquals(0, worker.runOnce());
      all.forEach(one -> assertEquals(Map.of(), one.result(SOON)));
    }
  }

  @Test
  void stopping_waits_for_the_items_under_way() throws Exception {
    Definitions.tool(client, name, Map.of());
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Worker worker =
        builder()
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  begun.countDown();
                  mayEnd.await();
                  return Map.of("ended", true);
                })
            .build()
            .start();
    ExecutionHandle execution = client.start(name, null);
    begun.await();
    Thread closing = Thread.ofVirtual().start(worker::close);

    assertFalse(closing.join(Duration.ofMillis(500)));
    mayEnd.countDown();

    closing.join();
    assertEquals("completed", execution.describe().get("status"));
    assertEquals(Map.of("ended", true), execution.result(SOON));
  }

  @Test
  void stopping_interrupts_and_gives_back_what_does_not_end_in_time() throws Exception {
    Definitions.tool(client, name, Map.of());
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean isInterrupted = new AtomicBoolean();
    ExecutionHandle execution;
    try (Worker stuck =
        builder()
            .stopTimeout(Duration.ofMillis(100))
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  begun.countDown();
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException error) {
                    isInterrupted.set(ctx.isCancelled());
                  }
                  return null;
                })
            .build()
            .start()) {
      execution = client.start(name, null);
      begun.await();
    }
    assertTrue(isInterrupted.get());

    try (Worker other =
        builder()
            .tool(name + ".charge", Map.class, (input, ctx) -> Map.of("attempt", ctx.attempt()))
            .build()
            .start()) {
      assertEquals(Map.of("attempt", 0L), execution.result(SOON));
    }
  }

  @Test
  void the_log_says_why_the_runtime_refuses_a_result() {
    Definitions.tool(client, name, Map.of());
    Logged logged = new Logged();
    try (Worker worker =
        builder()
            .logger(logged)
            .tool(name + ".charge", Map.class, (input, ctx) -> Map.of("constructor", 1))
            .build()
            .start()) {
      assertEquals("invalid_output", failureOf(client.start(name, null)).errorClass());
    }
    String line = logged.messages(Level.WARNING).getFirst();
    assertTrue(line.startsWith("the runtime refuses the result: "), line);
    assertTrue(line.contains("constructor"), line);
  }

  @Test
  void log_lines_carry_the_ids_of_the_item() {
    Definitions.tool(client, name, Map.of());
    Logged logged = new Logged();
    ExecutionHandle execution;
    try (Worker worker =
        builder()
            .logger(logged)
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  ctx.logger().log(Level.INFO, "charging {0}", "A-1");
                  return null;
                })
            .build()
            .start()) {
      execution = client.start(name, null);
      execution.result(SOON);
    }
    String own =
        logged.messages(Level.INFO).stream()
            .filter(line -> line.startsWith("charging A-1 "))
            .findFirst()
            .orElseThrow();
    assertTrue(own.contains("execution_id=" + execution.id()), own);
    assertTrue(own.contains("svc_name=" + name + ".charge"), own);
  }

  @Test
  void options_that_no_worker_can_run_with_are_refused() {
    assertThrows(IllegalArgumentException.class, () -> builder().build());
    assertThrows(IllegalArgumentException.class, () -> serving().concurrency(0).build());
    assertThrows(IllegalArgumentException.class, () -> serving().concurrency(1001).build());
    assertThrows(IllegalArgumentException.class, () -> serving().buildId("a b").build());
    assertThrows(IllegalArgumentException.class, () -> serving().url("localhost").build());
    assertThrows(
        IllegalArgumentException.class, () -> serving().tool("a.b", Map.class, (one, ctx) -> one));
    assertThrows(IllegalArgumentException.class, () -> builder().register(new Object()));
  }

  private Worker.Builder serving() {
    return builder().tool("a.b", Map.class, (input, ctx) -> null);
  }

  private static Worker.Builder builder() {
    return Worker.builder().url(Shared.url());
  }

  private static Map<String, Object> retries(int attempts) {
    return Map.of("max_attempts", attempts, "initial_delay", "1ms");
  }

  private static ExecutionFailedException failureOf(ExecutionHandle execution) {
    return assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));
  }
}
