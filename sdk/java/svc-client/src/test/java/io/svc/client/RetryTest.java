package io.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.errors.AuthenticationException;
import io.svc.errors.ConnectionFailedException;
import io.svc.errors.LimitException;
import io.svc.errors.TimedOutException;
import io.svc.errors.UnavailableException;
import io.svc.errors.ValidationException;
import io.svc.json.Json;
import io.svc.support.FakeServer;
import io.svc.testing.SvcRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is sent again, and what is not. */
class RetryTest {
  private static final String STARTED = "{\"execution_id\": \"exec_1\", \"status\": \"running\"}";
  private static final RetryPolicy FAST =
      new RetryPolicy(3, Duration.ofMillis(1), Duration.ofSeconds(1));
  private FakeServer server;
  private SvcClient client;

  @BeforeEach
  void start() throws Exception {
    server = new FakeServer();
    client = SvcClient.builder().url(server.url()).token("secret").retry(FAST).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void a_start_whose_answer_is_lost_is_sent_again_with_its_key() {
    server.then(0, "").then(503, "").then(201, STARTED);

    assertEquals("exec_1", client.start("order", Map.of()).id());

    List<String> keys = server.asked().stream().map(FakeServer.Asked::idempotencyKey).toList();
    assertEquals(3, keys.size());
    assertEquals(1, keys.stream().distinct().count());
    assertEquals(36, keys.getFirst().length());
  }

  @Test
  void entries_of_a_batch_that_a_limit_refuses_are_sent_again_with_their_keys() {
    server
        .then(200, "{\"results\": [{\"status\": 429, \"error\": \"full\"}, {\"status\": 201}]}")
        .then(200, "{\"results\": [{\"status\": 201, \"execution_id\": \"exec_1\"}]}");

    List<StartVerdict> verdicts =
        client.startMany(List.of(new StartEntry("a", null), new StartEntry("b", null)));

    assertTrue(verdicts.stream().allMatch(StartVerdict::isStarted));
    Object first = Json.asObject(Json.parse(server.asked().get(0).body())).get("executions");
    Object again = Json.asObject(Json.parse(server.asked().get(1).body())).get("executions");
    assertEquals(Json.asObjects(first).subList(0, 1), again);
  }

  @Test
  void a_decision_whose_answer_is_lost_is_not_sent_again() {
    server.then(0, "").then(200, "{}");

    assertThrows(
        ConnectionFailedException.class, () -> client.execution("exec_1").approve(null));

    assertEquals(1, server.asked().size());
  }

  @Test
  void a_limit_is_waited_out_for_any_request_and_for_the_time_that_it_names() {
    server.then(429, "{\"error\": \"too many\"}", "0.05").then(200, "{\"accepted\": true}");
    long began = System.nanoTime();

    client.execution("exec_1").approve(null);

    assertTrue(System.nanoTime() - began >= Duration.ofMillis(50).toNanos());
    assertEquals(2, server.asked().size());
  }

  @Test
  void a_limit_beyond_the_longest_pause_is_final() {
    server.then(429, "{\"error\": \"too many\"}", "30");

    LimitException error = assertThrows(LimitException.class, () -> client.whoami());

    assertEquals(Duration.ofSeconds(30), error.retryAfter().orElseThrow());
    assertEquals("limit_exceeded", error.code());
  }

  @Test
  void attempts_are_bounded() {
    server.then(503, "").then(503, "").then(503, "").then(200, "{}");

    assertThrows(UnavailableException.class, () -> client.whoami());

    assertEquals(3, server.asked().size());
  }

  @Test
  void a_refusal_is_final_and_says_what_to_do() {
    server.then(401, "{\"error\": \"unauthorized\"}");

    AuthenticationException error =
        assertThrows(AuthenticationException.class, () -> client.whoami());

    assertTrue(error.getMessage().contains("does not accept this token"), error.getMessage());
    assertEquals(1, server.asked().size());
  }

  @Test
  void another_service_at_the_address_is_named() {
    server.then(404, "{\"error\": \"Not Found\"}").then(200, "<html></html>");

    assertEquals(
        "foreign_service",
        assertThrows(ConnectionFailedException.class, () -> client.whoami()).code());
    assertEquals(
        "foreign_service",
        assertThrows(ConnectionFailedException.class, () -> client.whoami()).code());
  }

  @Test
  void nobody_at_the_address_is_a_connection_that_never_was() {
    try (SvcClient nobody =
        SvcClient.builder()
            .url("http://127.0.0.1:" + SvcRuntime.freePort())
            .retry(RetryPolicy.NONE)
            .build()) {
      ConnectionFailedException error =
          assertThrows(ConnectionFailedException.class, nobody::whoami);
      assertTrue(error.neverSent());
      assertTrue(error.getMessage().contains("svc dev"), error.getMessage());
    }
  }

  @Test
  void an_attempt_ends_after_its_time() throws Exception {
    try (java.net.ServerSocket silent =
            new java.net.ServerSocket(0, 10, java.net.InetAddress.getLoopbackAddress());
        SvcClient hasty =
            SvcClient.builder()
                .url("http://127.0.0.1:" + silent.getLocalPort())
                .readTimeout(Duration.ofMillis(100))
                .retry(RetryPolicy.NONE)
                .build()) {
      assertThrows(TimedOutException.class, hasty::whoami);
    }
  }

  @Test
  void what_is_no_JSON_is_not_sent() {
    ValidationException error =
        assertThrows(
            ValidationException.class, () -> client.start("order", Map.of("a", Double.NaN)));

    assertEquals("not_json", error.code());
    assertEquals(0, server.asked().size());
  }

  @Test
  void an_address_must_be_one() {
    assertThrows(
        IllegalArgumentException.class, () -> SvcClient.builder().url("localhost:7700").build());
  }
}
