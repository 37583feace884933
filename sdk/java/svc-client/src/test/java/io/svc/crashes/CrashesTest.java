package io.svc.crashes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.functions.DurableFunction;
import io.svc.functions.FunctionOptions;
import io.svc.json.Json;
import io.svc.support.Definitions;
import io.svc.support.Functions;
import io.svc.support.Postgres;
import io.svc.support.Programs;
import io.svc.support.Shared;
import io.svc.support.Until;
import io.svc.testing.SvcRuntime;
import io.svc.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes that are killed, on SQLite and on PostgreSQL. */
class CrashesTest {
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Map<String, Object> RETRIES =
      Map.of("max_attempts", 9, "initial_delay", "10ms");
  private final String name = Shared.name();
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"sqlite", "postgres"})
  void a_killed_worker_loses_no_step_and_repeats_only_the_one_under_way(String store)
      throws Exception {
    onStore(
        store,
        Map.of("SVC_SCHEDULER_LEASE_SECONDS", "2"),
        (runtime, client) -> {
          define(client);
          ExecutionHandle execution = client.start(name, null);
          Process killed = startWorker(runtime.url());
          Until.isTrue(() -> effects().size() == 2);
          killed.destroyForcibly().waitFor();
          Files.createFile(folder.resolve("may-end"));
          Process other = startWorker(runtime.url());
          try {
            assertEquals(true, Json.asObject(execution.result(SOON)).get("done"));
          } finally {
            other.destroy();
            assertTrue(other.waitFor(40, TimeUnit.SECONDS));
          }
        });

    List<String> effects = effects();
    assertEquals(3, effects.size(), effects.toString());
    assertEquals("first", effects.get(0));
    assertTrue(effects.get(1).startsWith("second "));
    assertEquals(effects.get(1), effects.get(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite", "postgres"})
  void a_killed_runtime_loses_nothing_and_the_worker_continues(String store) throws Exception {
    List<Integer> attempts = new CopyOnWriteArrayList<>();
    CountDownLatch started = new CountDownLatch(1);
    onStore(
        store,
        Map.of(),
        (runtime, client) -> {
          Definitions.tool(client, name, Map.of());
          try (Worker worker =
              Worker.builder()
                  .url(runtime.url())
                  .tool(
                      name + ".charge",
                      Map.class,
                      (input, ctx) -> {
                        attempts.add(ctx.attempt());
                        // The client repeats a lost start for less time than a restart may take.
                        started.await();
                        runtime.kill();
                        runtime.restart();
                        return Map.of("charged", true);
                      })
                  .build()
                  .start()) {
            ExecutionHandle execution = client.start(name, null);
            started.countDown();
            assertEquals(Map.of("charged", true), execution.result(SOON));
          }
        });

    assertEquals(List.of(0), attempts);
  }

  @Test
  void sigterm_finishes_the_turn_under_way() throws Exception {
    SvcClient client = Shared.client();
    define(client);
    ExecutionHandle execution = client.start(name, null);
    Process worker = startWorker(Shared.url());
    Until.isTrue(() -> effects().size() == 2);
    worker.destroy();
    Files.createFile(folder.resolve("may-end"));

    assertEquals(Map.of("done", true, "attempt", 0L), execution.result(SOON));
    assertTrue(worker.waitFor(40, TimeUnit.SECONDS));
    assertEquals(0, worker.exitValue());
    assertEquals(2, effects().size());
  }

  private interface Story {
    void tell(SvcRuntime runtime, SvcClient client) throws Exception;
  }

  private static void onStore(String store, Map<String, String> settings, Story story)
      throws Exception {
    if (store.equals("sqlite")) {
      onRuntime(settings, story);
      return;
    }
    try (Postgres postgres = new Postgres()) {
      Map<String, String> all = new HashMap<>(settings);
      all.put("SVC_DATABASE_URL", postgres.url());
      onRuntime(all, story);
    }
  }

  private static void onRuntime(Map<String, String> environment, Story story) throws Exception {
    try (SvcRuntime runtime = SvcRuntime.start(environment);
        SvcClient client = runtime.client()) {
      story.tell(runtime, client);
    }
  }

  private void define(SvcClient client) {
    DurableFunction<?, ?> function =
        Functions.of(name, (ctx, input) -> null)
            .with(FunctionOptions.DEFAULT.withRetryPolicy(RETRIES));
    client.workflows().register(function.toIr());
  }

  private Process startWorker(String url) throws IOException {
    Map<String, String> environment =
        Map.of("SVC_URL", url, "FOLDER", folder.toString(), "NAME", name);
    return Programs.start(testClasses(), Booking.class.getName(), environment);
  }

  private static Path testClasses() {
    return Path.of(Programs.sdk()).resolveSibling("test-classes");
  }

  private List<String> effects() throws IOException {
    Path file = folder.resolve("effects");
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }
}
