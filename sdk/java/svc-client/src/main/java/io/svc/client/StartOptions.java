package io.svc.client;

import io.svc.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * How an execution starts. Null leaves each to its default.
 *
 * @param version the version of the workflow; default: the latest
 * @param priority 0 first, 9 last; default: 5
 * @param labels names and values to find the execution by; default: none
 * @param startAfter begins then: a duration such as {@code 10m}, or an instant of ISO 8601; default:
 *     that of the workflow, or at once
 * @param startDeadline fails unless it has begun by then, in the same forms; default: that of the
 *     workflow, or none
 * @param rules {@code concurrency}, {@code rate}, {@code debounce}, {@code batch} and {@code fairness} as in
 *     a definition, which must have none of that kind; default: none
 * @param idempotencyKey makes the start safe over restarts of your program too; default: a new one
 * @param traceparent the trace of which the execution is a part
 */
public record StartOptions(
    String version,
    Integer priority,
    Map<String, String> labels,
    String startAfter,
    String startDeadline,
    Map<String, Object> rules,
    String idempotencyKey,
    String traceparent) {
  private static final List<String> RULES =
      List.of("concurrency", "rate", "debounce", "batch", "fairness");

  /** All defaults. */
  public static final StartOptions DEFAULT =
      new StartOptions(null, null, null, null, null, null, null, null);

  /**
   * Options whose rules are known.
   *
   * @throws IllegalArgumentException for a rule of another name, which no runtime would apply
   */
  public StartOptions {
    for (String rule : rules == null ? Set.<String>of() : rules.keySet()) {
      if (!RULES.contains(rule)) {
        throw new IllegalArgumentException(
            "a start has no rule \"" + rule + "\": the rules are " + String.join(", ", RULES));
      }
    }
  }

  /**
   * The same with a version.
   *
   * @param version the version of the workflow
   * @return new options
   */
  public StartOptions withVersion(String version) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /**
   * The same with a priority.
   *
   * @param priority 0 first, 9 last
   * @return new options
   */
  public StartOptions withPriority(int priority) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /**
   * The same with labels: a query such as {@code labels.customer = acme} finds the execution by them.
   *
   * @param labels up to 16 names and values, each up to 128 characters
   * @return new options
   */
  public StartOptions withLabels(Map<String, String> labels) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /**
   * The same with a delay.
   *
   * @param delay how long the execution waits before it begins
   * @return new options
   */
  public StartOptions withStartAfter(Duration delay) {
    return withTimes(inMs(delay), startDeadline);
  }

  /**
   * The same with a time to begin at.
   *
   * @param instant when the execution begins
   * @return new options
   */
  public StartOptions withStartAfter(Instant instant) {
    return withTimes(instant.toString(), startDeadline);
  }

  /**
   * The same with a deadline.
   *
   * @param delay the execution fails unless it has begun after this time
   * @return new options
   */
  public StartOptions withStartDeadline(Duration delay) {
    return withTimes(startAfter, inMs(delay));
  }

  /**
   * The same with a deadline.
   *
   * @param instant the execution fails unless it has begun by then
   * @return new options
   */
  public StartOptions withStartDeadline(Instant instant) {
    return withTimes(startAfter, instant.toString());
  }

  private StartOptions withTimes(String startAfter, String startDeadline) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /**
   * The same with a limit of executions that run at a time.
   *
   * @param key an expression over the input, as {@code input.customer}, or text in quotes, as {@code
   *     'acme'}: starts with the same value share the limit; null: all of the workflow
   * @param limit 1 to 10 000
   * @return new options
   */
  public StartOptions withConcurrency(String key, int limit) {
    return withConcurrency(key, limit, null);
  }

  /**
   * The same with an effect on the start when the limit is reached.
   *
   * @param key an expression over the input; null: all of the workflow
   * @param limit 1 to 10 000
   * @param whenFull {@code queue} lets the start wait, {@code refuse} answers 409,
   *     {@code cancel_oldest} cancels the oldest execution; null: {@code queue}
   * @return new options
   */
  public StartOptions withConcurrency(String key, int limit, String whenFull) {
    return withRule("concurrency", Json.object("key", key, "limit", limit, "when_full", whenFull));
  }

  /**
   * The same with a rate: at most so many executions begin in each {@code per}.
   *
   * @param key an expression over the input; null: all of the workflow
   * @param limit 1 to 1 000 000
   * @param per a duration such as {@code 1m}, from one second to one day
   * @return new options
   */
  public StartOptions withRate(String key, int limit, String per) {
    return withRule("rate", Json.object("key", key, "limit", limit, "per", per));
  }

  /**
   * The same with a debounce: another start of the key that comes in this time displaces this one.
   *
   * @param key an expression over the input; null: all of the workflow
   * @param wait how long the start waits for another, such as {@code 10s}
   * @return new options
   */
  public StartOptions withDebounce(String key, String wait) {
    return withRule("debounce", Json.object("key", key, "wait", wait));
  }

  /**
   * The same with a batch: it gathers with others of its key, and one execution begins for all of
   * them.
   *
   * @param key an expression over the input; null: all of the workflow
   * @param max the batch closes with so many starts: 2 to 1 000
   * @param wait the time from its first start after which the batch closes, such as {@code 30s}
   * @return new options
   */
  public StartOptions withBatch(String key, int max, String wait) {
    return withRule("batch", Json.object("key", key, "max", max, "wait", wait));
  }

  /**
   * The same with fairness: its items take turns with those of other keys when workers claim from a
   * queue.
   *
   * @param key an expression over the input, as {@code input.customer}, or text in quotes, as {@code
   *     'acme'}: executions with the same value share the turns of the key
   * @param weight how many items a key gets while another of weight 1 gets one: a number from 0.01 to
   *     100, or an expression over the input; null: 1
   * @return new options
   */
  public StartOptions withFairness(String key, Object weight) {
    return withRule("fairness", Json.object("key", key, "weight", weight));
  }

  private StartOptions withRule(String kind, Map<String, Object> rule) {
    Map<String, Object> rules =
        this.rules == null ? new LinkedHashMap<>() : new LinkedHashMap<>(this.rules);
    rules.put(kind, rule);
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  private static String inMs(Duration duration) {
    return duration.toMillis() + "ms";
  }

  /**
   * The same with a key: starts with one key and one workflow are one execution.
   *
   * @param idempotencyKey 1 to 512 printable characters of ASCII
   * @return new options
   */
  public StartOptions withIdempotencyKey(String idempotencyKey) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /**
   * The same with a trace.
   *
   * @param traceparent as W3C Trace Context says
   * @return new options
   */
  public StartOptions withTraceparent(String traceparent) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, rules, idempotencyKey, traceparent);
  }

  /** The body of a start; a batch adds the key of the entry. */
  Map<String, Object> toBody(String workflowId, Object input) {
    Map<String, Object> body = Json.object(
        "workflow_id", workflowId,
        "workflow_version", version,
        "input", input == null ? Map.of() : input,
        "priority", priority,
        "labels", labels,
        "start_after", startAfter,
        "start_deadline", startDeadline);
    if (rules != null) {
      body.putAll(rules);
    }
    return body;
  }

  Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(
        "idempotency-key", idempotencyKey != null ? idempotencyKey : UUID.randomUUID().toString());
    if (traceparent != null) {
      headers.put("traceparent", traceparent);
    }
    return headers;
  }
}
