package io.svc.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.client.ExecutionHandle;
import io.svc.client.SvcClient;
import io.svc.errors.WorkerRefusedException;
import io.svc.functions.DurableFunction;
import io.svc.functions.FunctionOptions;
import io.svc.internal.Address;
import io.svc.support.Definitions;
import io.svc.support.FakeServer;
import io.svc.support.Functions;
import io.svc.support.Logged;
import io.svc.support.LosingProxy;
import io.svc.support.Shared;
import io.svc.support.Until;
import io.svc.testing.SvcRuntime;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that do not arrive, and runtimes that refuse the worker. */
class LostAnswersTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String ITEM =
      """
      {"id": "item_1", "execution_id": "exec_1", "node_id": "a", "queue_type": "java_tool",
       "attempt": 0, "lease_fence": 1, "heartbeat_interval_ms": 60000, "idempotency_key": "k",
       "payload": {"class": "a", "method": "b", "input": {}}}""";
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  @ParameterizedTest
  @ValueSource(strings = {"claim", "complete"})
  void a_lost_answer_uses_no_attempt_and_calls_no_tool_twice(String kind) throws Exception {
    Definitions.tool(client, name, Map.of("retry_policy", Map.of("max_attempts", 1)));
    List<Integer> calls = new CopyOnWriteArrayList<>();
    Logged logged = new Logged();
    ExecutionHandle execution = client.start(name, null);
    try (LosingProxy losing = new LosingProxy(Shared.url(), kind);
        Worker worker =
            Worker.builder()
                .url(losing.url())
                .logger(logged)
                .tool(
                    name + ".charge",
                    Map.class,
                    (input, ctx) -> {
                      calls.add(ctx.attempt());
                      return Map.of("charged", true);
                    })
                .build()
                .start()) {
      assertEquals(Map.of("charged", true), execution.result(SOON));
      Until.isTrue(losing::hasLostAll);
    }
    assertEquals(List.of(0), calls);
    assertEquals(List.of(), logged.messages(Level.ERROR));
    List<Object> kinds = execution.history().stream().map(one -> one.get("kind")).toList();
    assertEquals(1, kinds.stream().filter("NodeCompleted"::equals).count());
    assertFalse(kinds.contains("NodeFailed"));
  }

  @Test
  void a_worker_claims_the_names_of_its_tools_alone_and_settles_with_the_next_claim()
      throws Exception {
    Definitions.tool(client, name, Map.of());
    try (LosingProxy proxy = new LosingProxy(Shared.url());
        Worker worker =
            Worker.builder()
                .url(proxy.url())
                .tool(name + ".charge", Map.class, (input, ctx) -> null)
                .build()
                .start()) {
      client.start(name, null).result(SOON);
      assertTrue(proxy.bodies().getFirst().contains("\"tools\":[\"" + name + ".charge\"]"));
      assertTrue(
          proxy.bodies().stream()
              .anyMatch(one -> one.contains("claim_id") && one.contains("\"complete\"")));
    }
  }

  @Test
  void a_worker_that_stops_gives_back_what_a_claim_without_answer_has_leased() throws Exception {
    Definitions.tool(client, name, Map.of("retry_policy", Map.of("max_attempts", 1)));
    ExecutionHandle execution = client.start(name, null);
    List<Integer> calls = new CopyOnWriteArrayList<>();
    try (LosingProxy losing = new LosingProxy(Shared.url(), "claim")) {
      Worker worker = serving(losing.url(), calls).start();
      Until.isTrue(losing::hasLostAll);
      worker.close();
      assertTrue(losing.bodies().stream().anyMatch(one -> one.contains("\"last\":true")));
    }
    try (Worker other = serving(Shared.url(), calls).start()) {
      execution.result(SOON);
    }
    assertEquals(List.of(0), calls);
  }

  @Test
  void a_worker_whose_places_are_all_taken_says_that_it_stops() throws Exception {
    Definitions.tool(client, name, Map.of());
    ExecutionHandle execution = client.start(name, null);
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<Map<String, Object>> going = new CompletableFuture<>();
    try (LosingProxy proxy = new LosingProxy(Shared.url())) {
      Worker worker =
          Worker.builder()
              .url(proxy.url())
              .concurrency(1)
              .tool(
                  name + ".charge",
                  Map.class,
                  (input, ctx) -> {
                    begun.complete(null);
                    return going.join();
                  })
              .build()
              .start();
      begun.join();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(worker::close);
      Until.isTrue(
          () -> proxy.bodies().stream().anyMatch(one -> one.contains("\"last\":true")));
      going.complete(Map.of());
      closed.join();
      execution.result(SOON);
    }
  }

  @Test
  void a_worker_says_again_that_it_stops_if_its_last_report_has_claimed_after_that()
      throws Exception {
    String nothing = "{\"claimed\": false, \"work_items\": []}";
    String settled =
        "{\"claimed\": false, \"work_items\": [],"
            + " \"results\": [{\"work_item_id\": \"item_1\", \"status\": 200, \"body\": {}}]}";
    CompletableFuture<Void> left = new CompletableFuture<>();
    try (FakeServer server =
        new FakeServer()
            .then(200, "{\"claimed\": true, \"work_items\": [" + ITEM + "]}")
            .thenAfter(left, 200, settled)
            .then(200, nothing)
            .then(200, nothing)) {
      Worker worker =
          Worker.builder()
              .url(server.url())
              .concurrency(1)
              .tool("a.b", Map.class, (input, ctx) -> null)
              .build()
              .start();
      Until.isTrue(() -> server.asked().size() == 2);
      CompletableFuture<Void> closed = CompletableFuture.runAsync(worker::close);
      // The runtime serves the report after the claim that says that the worker stops.
      Until.isTrue(() -> server.asked().size() == 3);
      left.complete(null);
      closed.join();
      List<Boolean> areLast =
          server.asked().stream().map(one -> one.body().contains("\"last\":true")).toList();
      assertEquals(List.of(false, false, true, true), areLast);
    }
  }

  @Test
  void a_worker_that_stops_repeats_no_claim_to_a_runtime_that_knows_the_contract_alone()
      throws Exception {
    CompletableFuture<Void> never = new CompletableFuture<>();
    try (FakeServer server =
        new FakeServer().then(200, "{\"claimed\": false}").thenAfter(never, 200, "{}")) {
      Worker worker = claiming(server.url(), new Logged());
      Until.isTrue(() -> server.asked().size() == 2);
      worker.close();
      assertEquals(2, server.asked().size());
    } finally {
      never.complete(null);
    }
  }

  @Test
  void a_wrong_port_is_tried_again_until_the_worker_stops() throws Exception {
    Logged logged = new Logged();
    String nobody = "http://127.0.0.1:" + SvcRuntime.freePort();
    try (Worker worker = claiming(nobody, logged)) {
      Until.isTrue(
          () ->
              logged.messages(Level.WARNING).stream()
                  .anyMatch(
                      line ->
                          line.startsWith("cannot claim, trying again: no answer from " + nobody)
                              && line.endsWith("start it with \"svc dev\"")));
      assertTrue(worker.isRunning());
      assertTrue(worker.awaitReady(Duration.ZERO), "it has nothing to register");
    }
  }

  @Test
  void a_worker_says_again_with_how_long_it_has_tried_that_nothing_answers() throws Exception {
    Logged logged = new Logged();
    String nobody = "http://127.0.0.1:" + SvcRuntime.freePort();
    DurableFunction<Object, Object> one = Functions.of(name, (ctx, input) -> null);
    try (Worker registering = Worker.builder().url(nobody).logger(logged).function(one).build();
        Worker claiming = claiming(nobody, logged)) {
      registering.start();
      assertFalse(registering.awaitReady(Duration.ZERO));
      for (String what : List.of("cannot register", "cannot claim")) {
        Until.isTrue(
            () ->
                logged.messages(Level.WARNING).stream()
                    .anyMatch(
                        line -> line.matches(what + ", trying again for \\d+ s: no answer.*")));
      }
    }
  }

  @Test
  void a_worker_starts_while_nothing_answers_and_is_ready_once_something_does() throws Exception {
    DurableFunction<Object, Object> one = Functions.of(name, (ctx, input) -> null);
    try (FakeServer server = new FakeServer().then(0, "").then(201, "{}");
        Worker worker = Worker.builder().url(server.url()).function(one).build()) {
      assertFalse(worker.awaitReady(Duration.ZERO));
      worker.start();
      assertTrue(worker.isRunning());
      assertTrue(worker.awaitReady(Duration.ofSeconds(30)));
      worker.close();
      assertFalse(worker.awaitReady(Duration.ZERO));
    }
  }

  @Test
  void a_worker_that_is_refused_is_never_ready() throws Exception {
    DurableFunction<Object, Object> one = Functions.of(name, (ctx, input) -> null);
    try (FakeServer server = new FakeServer().then(401, "{\"error\": \"refused\"}")) {
      Worker worker = Worker.builder().url(server.url()).function(one).build().start();
      assertFalse(worker.awaitReady(Duration.ofSeconds(30)));
      assertThrows(WorkerRefusedException.class, worker::close);
    }
  }

  @Test
  void a_worker_that_stops_before_it_has_registered_is_never_ready() {
    DurableFunction<?, ?> one = Functions.of(name, (ctx, input) -> null);
    Logged logged = new Logged();
    WorkerRun run =
        new WorkerRun(
            new Settings(
                Address.of(Shared.url(), null, null),
                name,
                Map.of(),
                Map.of(name, one),
                1,
                null,
                null,
                true,
                Duration.ZERO,
                logged),
            false);
    CompletableFuture<Object> ready = run.ready(new CompletableFuture<>());

    run.beginStop();

    assertEquals(0, run.work());
    assertFalse(ready.isDone());
    assertEquals(
        List.of("the worker " + name + " has stopped"), logged.messages(Level.INFO));
  }

  @Test
  void a_refusal_after_the_start_is_an_error_in_the_log() throws Exception {
    Logged logged = new Logged();
    DurableFunction<?, ?> one = Functions.of(name, (ctx, input) -> null);
    try (FakeServer server = new FakeServer().then(0, "").then(401, "{}")) {
      Worker worker =
          Worker.builder()
              .url(server.url())
              .workerId(name)
              .logger(logged)
              .function(one)
              .build()
              .start();
      Until.isTrue(() -> !worker.isRunning());
      WorkerRefusedException refused = assertThrows(WorkerRefusedException.class, worker::close);
      assertEquals(
          List.of("the worker " + name + " stops: " + refused.getMessage()),
          logged.messages(Level.ERROR));
    }
  }

  /** It claims items of one tool from there. */
  private static Worker claiming(String url, Logged logged) throws Exception {
    return Worker.builder()
        .url(url)
        .logger(logged)
        .tool("a.b", Map.class, (input, ctx) -> null)
        .build()
        .start();
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403})
  void a_refused_worker_says_what_to_do(int status) throws Exception {
    try (FakeServer server = new FakeServer().then(status, "{\"error\": \"refused\"}")) {
      Worker worker =
          Worker.builder()
              .url(server.url())
              .token("secret")
              .tool("a.b", Map.class, (input, ctx) -> null)
              .build();

      WorkerRefusedException error = assertThrows(WorkerRefusedException.class, worker::run);

      assertEquals(status, error.status());
      String advice =
          status == 401
              ? "The token may be revoked, expired, or of another runtime"
              : "A worker needs a token with the role worker, developer or operator";
      assertEquals(
          server.url()
              + " refuses the worker ("
              + status
              + "): refused. "
              + advice
              + ". Make one with \"svc token create --name NAME --role worker\"",
          error.getMessage());
    }
  }

  @Test
  void a_token_that_may_not_register_is_one_warning_for_all_functions() throws Exception {
    Logged logged = new Logged();
    String refused = "{\"error\": \"forbidden\"}";
    try (FakeServer server = new FakeServer().then(403, refused).then(403, refused);
        Worker worker =
            Worker.builder()
                .url(server.url())
                .token("secret")
                .logger(logged)
                .function(DurableFunction.of("one", Map.class, Map.class, (ctx, input) -> null))
                .function(DurableFunction.of("two", Map.class, Map.class, (ctx, input) -> null))
                .build()
                .start()) {
      assertTrue(worker.isRunning());
      assertEquals(
          List.of(
              "the token may not register functions: register them once with a token of the role"
                  + " developer or operator: one, two"),
          logged.messages(Level.WARNING));
    }
  }

  @Test
  void an_unknown_tenant_is_named() {
    Worker worker =
        Worker.builder()
            .url(Shared.url())
            .tenant("nobody")
            .tool("a.b", Map.class, (input, ctx) -> null)
            .build();

    WorkerRefusedException error = assertThrows(WorkerRefusedException.class, worker::run);

    assertEquals(
        Shared.url()
            + " refuses the worker (404): not found: tenant nobody. Create it with \"svc tenant"
            + " create\", or correct Worker.builder().tenant(…)",
        error.getMessage());
  }

  @Test
  void a_worker_asks_without_waiting_whether_the_runtime_is_back() throws Exception {
    Logged logged = new Logged();
    String nothing = "{\"work_item\": null}";
    try (FakeServer server = new FakeServer().then(503, "{}").then(200, nothing);
        Worker worker =
            Worker.builder()
                .url(server.url())
                .logger(logged)
                .tool("a.b", Map.class, (input, ctx) -> null)
                .build()
                .start()) {
      Until.isTrue(() -> logged.messages(Level.INFO).contains("the runtime answers again"));
      assertTrue(worker.isRunning());
      List<String> bodies = server.asked().stream().map(FakeServer.Asked::body).toList();
      assertTrue(bodies.get(0).contains("\"wait_ms\":20000"), bodies.get(0));
      assertTrue(bodies.get(1).contains("\"wait_ms\":0"), bodies.get(1));
      assertTrue(bodies.get(1).contains("\"repeated\":true"), bodies.get(1));
    }
  }

  @Test
  void a_worker_logs_what_the_runtime_ignores_in_a_function() throws Exception {
    Logged logged = new Logged();
    FunctionOptions typo =
        FunctionOptions.DEFAULT.withWorkflow(Map.of("concurency", Map.of("limit", 2)));
    DurableFunction<?, ?> function =
        DurableFunction.of(name, Map.class, Map.class, (ctx, input) -> input).with(typo);
    try (Worker worker =
        Worker.builder().url(Shared.url()).logger(logged).function(function).build().start()) {
      Until.isTrue(
          () ->
              logged.messages(Level.WARNING).stream()
                  .anyMatch(line -> line.contains("did you mean \"concurrency\"")));
      assertTrue(worker.isRunning());
    }
  }

  private Worker serving(String url, List<Integer> calls) {
    return Worker.builder()
        .url(url)
        .tool(
            name + ".charge",
            Map.class,
            (input, ctx) -> {
              calls.add(ctx.attempt());
              return null;
            })
        .build();
  }
}
