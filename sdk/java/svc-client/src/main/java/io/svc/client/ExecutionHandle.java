package io.svc.client;

import io.svc.errors.ExecutionCancelledException;
import io.svc.errors.ExecutionFailedException;
import io.svc.errors.SvcException;
import io.svc.errors.TimedOutException;
import io.svc.json.Json;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One execution. It holds no connection. */
public final class ExecutionHandle {
  /** Below the time after which proxies give up on an answer; the service takes 60 s at most. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(30);

  private static final Duration FOREVER = Duration.ofDays(36_500);
  private final SvcClient client;
  private final String id;

  ExecutionHandle(SvcClient client, String id) {
    this.client = client;
    this.id = id;
  }

  /**
   * The id of the execution.
   *
   * @return such as {@code exec_01a1…}
   */
  public String id() {
    return id;
  }

  /**
   * Waits for the end, however long it takes, and gives the output.
   *
   * @return JSON: a map, a list, text, a number, a boolean or null
   * @throws ExecutionFailedException if it failed
   * @throws ExecutionCancelledException if somebody cancelled it
   */
  public Object result() {
    return result(FOREVER);
  }

  /**
   * Waits for the end and gives the output. Outages of up to a minute are waited out.
   *
   * @param timeout the longest time to wait
   * @return JSON: a map, a list, text, a number, a boolean or null
   * @throws ExecutionFailedException if it failed
   * @throws ExecutionCancelledException if somebody cancelled it
   * @throws TimedOutException if it has not ended in time: it continues, and you may ask again
   */
  public Object result(Duration timeout) {
    return new ResultWait(client, id, timeout).output();
  }

  /**
   * Waits for the end and gives the output as a type.
   *
   * @param <T> the type
   * @param type a record, {@code Map}, {@code String} …
   * @param timeout the longest time to wait
   * @return the output; null if it is null
   * @throws io.svc.json.JsonException if the output has another shape
   */
  public <T> T result(Class<T> type, Duration timeout) {
    return Json.decode(type, result(timeout));
  }

  /**
   * Status, state, input, and what it waits for.
   *
   * @return the execution
   */
  public Map<String, Object> describe() {
    return client.executions().get(id);
  }

  /**
   * Why it rests, and what would move it on.
   *
   * @return the explanation
   */
  public Map<String, Object> explain() {
    return client.request("GET", path("/explain"), null, null);
  }

  /**
   * The state as it was.
   *
   * @param at the sequence of an event, or an ISO 8601 time with its zone; null: the last
   * @return {@code state}, with its {@code sequence}, {@code status} and time
   */
  public Map<String, Object> state(String at) {
    return client.request("GET", path("/state"), Json.object("at", at), null);
  }

  /**
   * The changes between two states, in either direction.
   *
   * @param from as in {@link #state}; null: before the first event
   * @param to as in {@link #state}; null: the last
   * @return {@code changes}, each with its {@code path}
   */
  public Map<String, Object> stateDiff(String from, String to) {
    return client.request("GET", path("/state/diff"), Json.object("from", from, "to", to), null);
  }

  /**
   * For each key of a state: the event that set it last, and who caused that.
   *
   * @param at as in {@link #state}
   * @return {@code keys}
   */
  public Map<String, Object> stateBlame(String at) {
    return client.request("GET", path("/state/blame"), Json.object("at", at), null);
  }

  /**
   * The events so far, in order.
   *
   * @return one object each
   */
  public List<Map<String, Object>> history() {
    return History.read(client, path("/events"));
  }

  /**
   * Cancels the execution.
   *
   * @return its status
   */
  public Map<String, Object> cancel() {
    return post("/cancel", Map.of());
  }

  /**
   * Holds the execution: nothing of it begins until {@link #resume}.
   *
   * @param reason why; null for none
   * @return its status and pauses
   */
  public Map<String, Object> pause(String reason) {
    return post("/pause", Json.object("reason", reason));
  }

  /**
   * Ends a pause.
   *
   * @return its status and pauses
   */
  public Map<String, Object> resume() {
    return post("/resume", Map.of());
  }

  /**
   * Starts a new execution that resumes where this one failed.
   *
   * @return the handle of the new one
   */
  public ExecutionHandle retry() {
    return client.execution((String) post("/retry", Map.of()).get("execution_id"));
  }

  /**
   * Starts a new execution that carries this one up to a node, which runs again. Its calls have
   * idempotency keys of their own. All attempts carry one idempotency key, so a lost answer never
   * starts a second fork.
   *
   * @param node the node; its last visit is the point
   * @param changes {@code patch} of the state, {@code visit}, {@code items}, {@code revision}; empty
   *     for none
   * @return the handle of the new one
   */
  public ExecutionHandle fork(String node, Map<String, ?> changes) {
    return forkAt(node, changes);
  }

  /**
   * Starts a new execution that carries this one up to an event. See {@link #fork(String, Map)}.
   *
   * @param sequence the sequence of the last event to keep, from 1
   * @param changes {@code patch} of the state, {@code revision}; empty for none
   * @return the handle of the new one
   */
  public ExecutionHandle fork(long sequence, Map<String, ?> changes) {
    return forkAt(sequence, changes);
  }

  private ExecutionHandle forkAt(Object at, Map<String, ?> changes) {
    Map<String, Object> body = new LinkedHashMap<>(changes);
    body.put("at", at);
    Map<String, String> headers = Map.of("idempotency-key", UUID.randomUUID().toString());
    Map<String, Object> answer = client.request("POST", path("/fork"), null, body, headers);
    return client.execution((String) answer.get("execution_id"));
  }

  /**
   * Tells what a fork at a node would keep and run; starts nothing.
   *
   * @param node the node
   * @param changes as for {@link #fork(String, Map)}
   * @return {@code begins}, {@code kept}, {@code left}, {@code maps}, {@code approvals} and more
   */
  public Map<String, Object> previewFork(String node, Map<String, ?> changes) {
    return previewForkAt(node, changes);
  }

  /**
   * Tells what a fork after an event would keep and run; starts nothing.
   *
   * @param sequence the sequence of the last event to keep, from 1
   * @param changes as for {@link #fork(long, Map)}
   * @return as of {@link #previewFork(String, Map)}
   */
  public Map<String, Object> previewFork(long sequence, Map<String, ?> changes) {
    return previewForkAt(sequence, changes);
  }

  private Map<String, Object> previewForkAt(Object at, Map<String, ?> changes) {
    Map<String, Object> body = new LinkedHashMap<>(changes);
    body.put("at", at);
    body.put("dry_run", true);
    return post("/fork", body);
  }

  /**
   * The newest forks of this execution.
   *
   * @return one object each: {@code execution_id}, {@code status}, {@code sequence}, {@code node_id}
   */
  public List<Map<String, Object>> forks() {
    return Json.asObjects(client.request("GET", path("/forks"), null, null).get("forks"));
  }

  /**
   * Delivers an external event to the wait for this key, present or future.
   *
   * @param key the correlation key
   * @param payload any value of JSON; null is an empty object
   * @return {@code accepted}
   */
  public Map<String, Object> sendEvent(String key, Object payload) {
    Object given = payload == null ? Map.of() : payload;
    return post("/external-event", Json.object("correlation_key", key, "payload", given));
  }

  /**
   * The open approvals.
   *
   * @return one object each
   */
  public List<Map<String, Object>> approvals() {
    return client.approvals().of(id);
  }

  /**
   * Approves.
   *
   * @param comment why; null for none
   * @return {@code accepted}, and the node
   */
  public Map<String, Object> approve(String comment) {
    return decide(Decision.approved().withComment(comment));
  }

  /**
   * Rejects.
   *
   * @param comment why; null for none
   * @return {@code accepted}, and the node
   */
  public Map<String, Object> reject(String comment) {
    return decide(Decision.rejected().withComment(comment));
  }

  /**
   * Decides an approval.
   *
   * @param decision what is decided, and of which approval
   * @return {@code accepted}, and the node
   */
  public Map<String, Object> decide(Decision decision) {
    return client.approvals().decide(id, decision);
  }

  @Override
  public String toString() {
    return "ExecutionHandle[" + id + "]";
  }

  private Map<String, Object> post(String path, Object body) {
    return client.request("POST", path(path), null, body);
  }

  private String path(String end) {
    return "/executions/" + SvcClient.part(id) + end;
  }

  /** One wait for a result. */
  private static final class ResultWait {
    private final SvcClient client;
    private final Duration timeout;
    private final long began = System.nanoTime();
    private final Outage outage = new Outage();
    private String id;

    ResultWait(SvcClient client, String id, Duration timeout) {
      this.client = client;
      this.id = id;
      this.timeout = timeout.compareTo(FOREVER) < 0 ? timeout : FOREVER;
    }

    Object output() {
      while (true) {
        Map<String, Object> answer = askOrPause();
        if (answer == null) {
          continue;
        }
        if (answer.containsKey("error") && answer.get("continued_as") == null) {
          return outputOf(answer);
        }
        id = answer.get("continued_as") instanceof String next ? next : id;
        if (left().isZero()) {
          throw tooLate(null);
        }
        outage.end();
      }
    }

    /** Null: there is no answer, and the pause after that is over. */
    private Map<String, Object> askOrPause() {
      Duration left = left();
      Duration wait = left.compareTo(WAIT_MAX) < 0 ? left : WAIT_MAX;
      String path = "/executions/" + SvcClient.part(id) + "/result";
      Map<String, String> query = Map.of("wait", wait.toMillis() + "ms");
      try {
        return Json.asObject(
            client.ask(
                new SvcClient.Ask(
                    "GET", path, query, Map.of(), null, wait, within(left))));
      } catch (SvcException error) {
        if (left().isZero() || Thread.currentThread().isInterrupted()) {
          throw tooLate(error);
        }
        SvcClient.pause(Duration.ofMillis(outage.pauseAfter(error)));
        return null;
      }
    }

    private Duration within(Duration left) {
      return timeout == FOREVER ? null : left.plusSeconds(1);
    }

    private Duration left() {
      Duration left = timeout.minusNanos(System.nanoTime() - began);
      return left.isNegative() ? Duration.ZERO : left;
    }

    private TimedOutException tooLate(SvcException cause) {
      return new TimedOutException(
          id
              + " has not ended in time; it continues. See what it waits for with "
              + "\"svc execution explain "
              + id
              + "\"",
          id,
          cause);
    }
  }

  private static Object outputOf(Map<String, Object> answer) {
    String id = (String) answer.get("execution_id");
    if (!(answer.get("error") instanceof Map<?, ?> error)) {
      return answer.get("output");
    }
    if ("cancelled".equals(answer.get("status"))) {
      throw new ExecutionCancelledException(id + " was cancelled: " + error.get("message"), id);
    }
    throw new ExecutionFailedException(
        id
            + " failed: "
            + error.get("message")
            + ". Its events: \"svc execution events "
            + id
            + "\"",
        id,
        (String) error.get("class"),
        (String) error.get("node_id"));
  }
}
