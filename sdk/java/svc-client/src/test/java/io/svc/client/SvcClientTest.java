package io.svc.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.errors.ConflictException;
import io.svc.errors.ExecutionCancelledException;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.NotFoundException;
import io.svc.errors.TimedOutException;
import io.svc.errors.ValidationException;
import io.svc.support.Shared;
import io.svc.support.Until;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Against a real runtime. */
class SvcClientTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private final SvcClient client = Shared.client();
  private final String name = Shared.name();

  record Greeting(String text) {}

  @Test
  void a_workflow_is_registered_and_run() {
    Map<String, Object> registered = client.workflows().register(passing("text", "$.text"));

    Map<?, ?> output =
        client.start(name, new Greeting("hello")).result(Map.class, SOON);

    assertEquals(name, registered.get("workflow_id"));
    assertEquals("hello", output.get("text"));
    assertEquals(name, client.workflows().get(name).get("workflow_id"));
  }

  @Test
  void starts_with_one_key_are_one_execution() {
    client.workflows().register(passing("text", "$.text"));
    StartOptions options = StartOptions.DEFAULT.withIdempotencyKey(name).withPriority(2);

    String first = client.start(name, Map.of("text", "a"), options).id();

    assertEquals(first, client.start(name, Map.of("text", "a"), options).id());
    assertFalse(first.equals(client.start(name, Map.of("text", "a")).id()));
  }

  @Test
  void executions_are_counted_by_group() {
    client.workflows().register(passing("text", "$.text"));
    for (String customer : List.of("acme", "acme", "brown")) {
      StartOptions labelled = StartOptions.DEFAULT.withLabels(Map.of("customer", customer));
      client.start(name, Map.of("text", "a"), labelled);
    }

    Map<String, Object> counts =
        client.executions().counts(Map.of("workflow_id", name), "labels.customer");

    assertEquals(
        List.of(Map.of("value", "acme", "count", 2L), Map.of("value", "brown", "count", 1L)),
        counts.get("groups"));
    assertFalse(client.executions().counts(Map.of("workflow_id", name)).containsKey("groups"));
  }

  @Test
  void failures_are_listed_by_cause_and_each_group_lists_its_own() {
    client.workflows().register(
        Map.of(
            "workflow_id", name,
            "nodes",
                Map.of(
                    "no", Map.of("kind", Map.of("type", "fail", "message", "refused 17 times")))));
    List<String> ids =
        List.of(client.start(name, Map.of()).id(), client.start(name, Map.of()).id());
    for (String id : ids) {
      assertThrows(ExecutionFailedException.class, () -> client.execution(id).result(SOON));
    }
    Map<String, Object> filters = Map.of("q", "workflow = \"" + name + "\"", "members", 1);

    List<Map<String, Object>> groups;
    try (Stream<Map<String, Object>> listed = client.failures().list(filters)) {
      groups = listed.toList();
    }

    assertEquals(1, groups.size());
    assertEquals("refused … times", groups.get(0).get("cause"));
    assertEquals("no", groups.get(0).get("node_id"));
    assertEquals(2L, groups.get(0).get("count"));
    assertEquals(1, ((List<?>) groups.get(0).get("members")).size());
    try (Stream<Map<String, Object>> members =
        client
            .failures()
            .ofGroup((String) groups.get(0).get("id"), Map.of("q", filters.get("q")))) {
      assertEquals(
          Set.copyOf(ids),
          members.map(one -> (String) one.get("execution_id")).collect(Collectors.toSet()));
    }
  }

  @Test
  void an_execution_is_found_by_its_labels() {
    client.workflows().register(passing("text", "$.text"));
    StartOptions labelled = StartOptions.DEFAULT.withLabels(Map.of("customer", name));

    ExecutionHandle execution = client.start(name, Map.of("text", "a"), labelled);
    client.start(name, Map.of("text", "b"));

    assertEquals(Map.of("customer", name), execution.describe().get("labels"));
    try (Stream<Map<String, Object>> found =
        client.executions().list(Map.of("q", "labels.customer = \"" + name + "\""))) {
      assertEquals(
          List.of(execution.id()), found.map(one -> one.get("execution_id")).toList());
    }
  }

  @Test
  void an_execution_begins_later_alone_and_as_one_of_many() {
    client.workflows().register(passing("text", "$.text"));
    Instant begins = Instant.parse("2099-01-31T09:00:00Z");
    StartOptions later =
        StartOptions.DEFAULT.withStartAfter(begins).withLabels(Map.of("customer", name));

    client.start(name, Map.of("text", "a"), later);
    client.startMany(List.of(new StartEntry(name, Map.of("text", "b"), later)));

    try (Stream<Map<String, Object>> found =
        client.executions().list(Map.of("q", "waiting = true and labels.customer = \"" + name + "\""))) {
      assertEquals(
          List.of("2099-01-31T09:00:00.000Z", "2099-01-31T09:00:00.000Z"),
          found.map(one -> ((Map<?, ?>) one.get("waiting_for")).get("until")).toList());
    }
    StartOptions soon = StartOptions.DEFAULT.withStartAfter(Duration.ofMillis(20));
    assertEquals(
        "completed",
        completed(client.start(name, Map.of("text", "c"), soon.withStartDeadline(Duration.ofHours(1))))
            .get("status"));
  }

  @Test
  void starts_bring_rules_of_flow_control() {
    client.workflows().register(waiting());
    StartOptions limited = StartOptions.DEFAULT.withConcurrency("input.order", 1, "refuse");
    client.start(name, Map.of("order", "a"), limited);
    assertThrows(
        ConflictException.class, () -> client.start(name, Map.of("order", "a"), limited));
    StartOptions paced = StartOptions.DEFAULT.withRate("input.order", 1, "1d");
    client.start(name, Map.of("order", "b"), paced);
    assertEquals("rate", waitOf(client.start(name, Map.of("order", "b"), paced)));
    StartOptions debounced = StartOptions.DEFAULT.withDebounce(null, "1h");
    assertEquals("debounce", waitOf(client.start(name, Map.of("order", "c"), debounced)));
    StartOptions batched = StartOptions.DEFAULT.withBatch("input.order", 2, "1h");
    assertEquals("batch", waitOf(client.start(name, Map.of("order", "d"), batched)));
    StartOptions fair = StartOptions.DEFAULT.withFairness("input.order", 2);
    assertEquals(
        Map.of("fairness", Map.of("key", "input.order", "weight", 2L)),
        rulesOf(client.start(name, Map.of("order", "e"), fair)));
    StartOptions alike = StartOptions.DEFAULT.withFairness("'acme'", null);
    Map<?, ?> rules = (Map<?, ?>) rulesOf(client.start(name, Map.of("order", "f"), alike));
    assertEquals("'acme'", ((Map<?, ?>) rules.get("fairness")).get("key"));
  }

  private static Object rulesOf(ExecutionHandle execution) {
    return ((Map<?, ?>) execution.history().getFirst().get("payload")).get("start_rules");
  }

  private static Object waitOf(ExecutionHandle execution) {
    return ((Map<?, ?>) execution.describe().get("waiting_for")).get("kind");
  }

  @Test
  void an_event_ends_a_wait() {
    client.workflows().register(waiting());
    ExecutionHandle execution = client.start(name, Map.of("order", name));

    execution.sendEvent("paid-" + name, Map.of("amount", 5));

    assertEquals(Map.of("amount", 5L), execution.result(SOON));
    assertEquals("completed", execution.describe().get("status"));
    assertTrue(
        execution.history().stream()
            .anyMatch(event -> "WorkflowCompleted".equals(event.get("kind"))));
  }

  @Test
  void a_result_that_takes_too_long_leaves_the_execution_alone_and_a_cancel_ends_it() {
    client.workflows().register(waiting());
    ExecutionHandle execution = client.start(name, Map.of("order", name));

    TimedOutException late =
        assertThrows(TimedOutException.class, () -> execution.result(Duration.ofMillis(50)));
    assertEquals(execution.id(), late.executionId().orElseThrow());
    execution.cancel();

    assertThrows(ExecutionCancelledException.class, () -> execution.result(SOON));
  }

  @Test
  void an_approval_is_listed_and_decided() throws Exception {
    client.workflows().register(
        Map.of(
            "workflow_id", name,
            "nodes", Map.of("ask", node(Map.of("type", "human_approval"), "decision"))));
    ExecutionHandle execution = client.start(name, null);
    Until.isTrue(() -> !execution.approvals().isEmpty());

    try (Stream<Map<String, Object>> listed =
        client.approvals().list(Map.of("workflow_id", name))) {
      assertEquals(List.of(execution.id()), listed.map(one -> one.get("execution_id")).toList());
    }
    execution.decide(Decision.approved().withComment("fine").withUserId("ada"));

    assertEquals("completed", completed(execution).get("status"));
    assertEquals(false, execution.reject("too late").get("accepted"));
  }

  @Test
  void a_fork_carries_an_execution_up_to_a_node() {
    client.workflows().register(passing("n", "$.n"));
    ExecutionHandle execution = client.start(name, Map.of("n", 1));
    execution.result(SOON);
    String node = (String) ((List<?>) execution.previewFork(onlyNode(execution), Map.of()).get("begins")).get(0);

    assertEquals(List.of(node), execution.previewFork(1, Map.of()).get("begins"));

    ExecutionHandle fork = execution.fork(node, Map.of("patch", Map.of("n", 2)));

    fork.result(SOON);
    assertEquals(
        execution.id(), ((Map<?, ?>) fork.describe().get("forked_from")).get("execution_id"));
    assertEquals(2L, ((Map<?, ?>) fork.describe().get("state")).get("n"));
    assertEquals(
        List.of(fork.id()),
        execution.forks().stream().map(one -> (String) one.get("execution_id")).toList());
    assertEquals("completed", completed(execution.fork(1, Map.of())).get("status"));
  }

  private static String onlyNode(ExecutionHandle execution) {
    return execution.history().stream()
        .filter(event -> "NodeScheduled".equals(event.get("kind")))
        .map(event -> (String) event.get("node_id"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void several_approvals_are_decided_with_one_reason() throws Exception {
    client.workflows().register(
        Map.of(
            "workflow_id", name,
            "nodes", Map.of("ask", node(Map.of("type", "human_approval"), "decision"))));
    ExecutionHandle first = client.start(name, null);
    ExecutionHandle second = client.start(name, null);
    Until.isTrue(() -> !first.approvals().isEmpty() && !second.approvals().isEmpty());

    List<Map<String, Object>> results =
        client
            .approvals()
            .decideAll(
                List.of(
                    Map.entry(first.id(), Decision.approved()),
                    Map.entry(second.id(), Decision.approved().withComment("mine")),
                    Map.entry(first.id(), Decision.rejected())),
                "all fine");

    assertEquals(
        List.of(true, true, false), results.stream().map(one -> one.get("accepted")).toList());
    assertEquals("all fine", first.result(Map.class, SOON).get("comment"));
    assertEquals("mine", second.result(Map.class, SOON).get("comment"));
  }

  @Test
  void the_state_is_read_as_it_was() {
    client.workflows().register(passing("text", "$.text"));
    ExecutionHandle execution = client.start(name, Map.of("text", "hello"));
    execution.result(SOON);

    Map<String, Object> started = execution.state("1");
    Map<String, Object> before = execution.state("1970-01-01T00:00:00Z");
    Map<String, Object> blamed = execution.stateBlame(null);

    assertEquals(Map.of("text", "hello"), started.get("state"));
    assertEquals(Map.of(), before.get("state"));
    assertTrue(
        String.valueOf(execution.stateDiff(null, "1").get("changes")).contains("/text"));
    assertEquals(execution.state(null).get("sequence"), blamed.get("sequence"));
    assertFalse(((List<?>) blamed.get("keys")).isEmpty());
  }

  @Test
  void a_failure_says_which_node_and_class() {
    Map<String, Object> kind =
        Map.of(
            "type", "wait",
            "condition", "external_event",
            "correlation_key", "never-" + name,
            "timeout_secs", 0.05);
    client.workflows().register(
        Map.of("workflow_id", name, "nodes", Map.of("check", node(kind, "checked"))));
    ExecutionHandle execution = client.start(name, Map.of("a", 1));

    ExecutionFailedException error =
        assertThrows(ExecutionFailedException.class, () -> execution.result(SOON));

    assertEquals("check", error.nodeId().orElseThrow());
    assertEquals("timeout", error.errorClass());
    assertEquals(execution.id(), error.executionId());
  }

  @Test
  void lists_read_all_pages() {
    client.workflows().register(passing("at", "$.at"));
    List<String> ids =
        Stream.iterate(0, at -> at + 1)
            .limit(5)
            .map(at -> client.start(name, Map.of("at", at)).id())
            .toList();

    Map<String, Object> filters = Map.of("workflow_id", name, "limit", 2);
    List<?> listed =
        client.executions().list(filters).map(one -> one.get("execution_id")).toList();

    assertEquals(ids.reversed(), listed);
    assertEquals(1, client.executions().list(filters).limit(1).count());
  }

  @Test
  void many_executions_start_in_one_call_and_each_has_a_verdict() {
    client.workflows().register(passing("at", "$.at"));
    StartOptions keyed = StartOptions.DEFAULT.withIdempotencyKey(name);
    List<StartVerdict> verdicts =
        client.startMany(
            List.of(
                new StartEntry(name, Map.of("at", 1), keyed),
                new StartEntry(name + "-unknown", null),
                new StartEntry(name, Map.of("at", 1), keyed)));

    assertEquals(List.of(201, 404, 201), verdicts.stream().map(StartVerdict::status).toList());
    assertEquals(verdicts.get(0).executionId(), verdicts.get(2).executionId());
    assertFalse(verdicts.get(1).isStarted());
    assertEquals(
        Map.of("at", 1L),
        client.execution(verdicts.get(0).executionId().orElseThrow()).result(SOON));
    assertEquals(List.of(), client.startMany(List.of()));
  }

  @Test
  void an_unknown_execution_is_not_found() {
    String id = "exec_" + "0".repeat(32);

    NotFoundException error =
        assertThrows(NotFoundException.class, () -> client.execution(id).describe());

    assertEquals(404, error.status());
    assertEquals("not_found", error.code());
    assertTrue(error.requestId().isPresent());
  }

  @Test
  void a_wrong_request_is_refused() {
    ValidationException error =
        assertThrows(
            ValidationException.class, () -> client.request("POST", "/executions", null, Map.of()));

    assertEquals(400, error.status());
  }

  @Test
  void any_endpoint_can_be_called() {
    assertEquals("default", client.request("GET", "/whoami", null, null).get("tenant_id"));
  }

  private Map<String, Object> completed(ExecutionHandle execution) {
    execution.result(SOON);
    return execution.describe();
  }

  private Map<String, Object> passing(String key, String from) {
    return Map.of(
        "workflow_id", name,
        "nodes",
            Map.of("pass", node(Map.of("type", "pass", "output", Map.of(key, from)), "passed")));
  }

  private Map<String, Object> waiting() {
    Map<String, Object> kind =
        Map.of("type", "wait", "condition", "external_event", "correlation_key", "paid-" + name);
    return Map.of("workflow_id", name, "nodes", Map.of("wait", node(kind, "payment")));
  }

  private static Map<String, Object> node(Map<String, Object> kind, String outputKey) {
    return Map.of("kind", kind, "output_key", outputKey);
  }
}
