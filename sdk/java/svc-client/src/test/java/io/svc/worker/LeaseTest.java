package io.svc.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.support.Definitions;
import io.svc.support.Shared;
import io.svc.testing.SvcRuntime;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Heartbeats, on a runtime whose leases last two seconds. One test keeps all processors busy. */
@Isolated
class LeaseTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static SvcRuntime runtime;
  private static SvcClient client;
  private final String name = Shared.name();

  @BeforeAll
  static void start() {
    runtime = SvcRuntime.start(Map.of("SVC_SCHEDULER_LEASE_SECONDS", "2"));
    client = runtime.client();
  }

  @AfterAll
  static void stop() {
    client.close();
    runtime.close();
  }

  @Test
  void a_cancel_interrupts_the_code_by_the_heartbeat() throws Exception {
    Definitions.tool(client, name, Map.of());
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch seen = new CountDownLatch(1);
    try (Worker worker =
        Worker.builder()
            .url(runtime.url())
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  begun.countDown();
                  assertThrows(InterruptedException.class, () -> new CountDownLatch(1).await());
                  seen.countDown();
                  ctx.throwIfCancelled();
                  return null;
                })
            .build()
            .start()) {
      ExecutionHandle execution = client.start(name, null);
      begun.await();
      execution.cancel();
      assertTrue(seen.await(20, TimeUnit.SECONDS));
    }
  }

  @Test
  void work_longer_than_a_lease_keeps_it_though_all_virtual_threads_are_busy() {
    Definitions.tool(client, name, Map.of());
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    int carriers = Runtime.getRuntime().availableProcessors();
    try (Worker worker =
        Worker.builder()
            .url(runtime.url())
            .concurrency(carriers)
            .tool(
                name + ".charge",
                Map.class,
                (input, ctx) -> {
                  attempts.add(ctx.attempt());
                  spin(Duration.ofMillis(3000));
                  return null;
                })
            .build()
            .start()) {
      List<ExecutionHandle> all =
          IntStream.range(0, carriers)
              .mapToObj(at -> client.start(name, null))
              .toList();
      all.forEach(one -> one.result(SOON));
    }
    assertEquals(Collections.nCopies(carriers, 0), attempts);
  }

  /** Work that gives no virtual thread a chance. */
  private static void spin(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }
}
