package io.svc.check;

import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;
import io.svc.functions.StepOptions;
import io.svc.worker.SvcTool;
import io.svc.worker.ToolContext;
import io.svc.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The tools of {@code svc worker check}. */
public final class CheckWorker {
  private static final StepOptions RIDES = StepOptions.DEFAULT.recordedAtEnd();
  private final AtomicInteger cancelled = new AtomicInteger();

  record Message(String message) {}

  record Time(long ms) {}

  private CheckWorker() {}

  public static void main(String[] args) {
    Worker.builder()
        .stopTimeout(Duration.ofSeconds(3))
        .register(new CheckWorker())
        .function(
            "check.steps",
            Object.class,
            (ctx, input) -> Map.of("first", ctx.step("first", String.class, step -> newId())))
        .function(
            "check.rides",
            Object.class,
            (ctx, input) -> {
              ctx.step("first", Integer.class, step -> 1, RIDES);
              ctx.step("second", Integer.class, step -> 2, RIDES);
              return Map.of();
            })
        .function(
            "check.steps_cancel",
            Wait.class,
            (ctx, input) ->
                ctx.step(
                    "wait",
                    Map.class,
                    step -> {
                      Thread.sleep(input.ms());
                      return Map.of();
                    }))
        .build()
        .run();
  }

  record Wait(long ms) {}

  @SvcTool("check.echo")
  Map<String, Object> echo(Map<String, Object> input) {
    return input;
  }

  @SvcTool("check.call")
  Map<String, Object> call(ToolContext ctx) {
    return Map.of("call", newId(), "idempotency_key", ctx.idempotencyKey());
  }

  @SvcTool("check.fail")
  void fail(Message input) {
    throw new IllegalStateException(input.message());
  }

  /** Takes its time, also when it is interrupted. */
  @SvcTool("check.slow")
  Time slow(Time input) {
    long end = System.nanoTime() + Duration.ofMillis(input.ms()).toNanos();
    while (System.nanoTime() - end < 0) {
      try {
        Thread.sleep(Duration.ofNanos(end - System.nanoTime()));
      } catch (InterruptedException error) {
        continue;
      }
    }
    return input;
  }

  @SvcTool("check.fatal")
  void fatal(Message input) {
    throw new Fatal(input.message());
  }

  @SvcTool("check.retry_after")
  void retryAfter(Time input) {
    throw new RetryAfter(Duration.ofMillis(input.ms()));
  }

  @SvcTool("check.trace")
  Map<String, Object> trace(ToolContext ctx) {
    return Map.of("traceparent", ctx.traceparent().orElseThrow());
  }

  @SvcTool("check.labels")
  void label(Map<String, String> input, ToolContext ctx) {
    ctx.setLabels(input);
  }

  @SvcTool("check.cancel")
  void cancel(Time input) throws InterruptedException {
    try {
      Thread.sleep(Duration.ofMillis(input.ms()));
    } catch (InterruptedException error) {
      cancelled.incrementAndGet();
      throw error;
    }
  }

  @SvcTool("check.cancelled")
  Map<String, Object> cancelledSoFar() {
    return Map.of("cancelled", cancelled.get());
  }

  @SvcTool("check.never")
  void never() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static String newId() {
    return UUID.randomUUID().toString();
  }
}
