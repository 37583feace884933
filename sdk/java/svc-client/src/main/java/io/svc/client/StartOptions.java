package io.svc.client;

import io.svc.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
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
 * @param idempotencyKey makes the start safe over restarts of your program too; default: a new one
 * @param traceparent the trace of which the execution is a part
 */
public record StartOptions(
    String version,
    Integer priority,
    Map<String, String> labels,
    String startAfter,
    String startDeadline,
    String idempotencyKey,
    String traceparent) {
  /** All defaults. */
  public static final StartOptions DEFAULT = new StartOptions(null, null, null, null, null, null, null);

  /**
   * The same with a version.
   *
   * @param version the version of the workflow
   * @return new options
   */
  public StartOptions withVersion(String version) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
  }

  /**
   * The same with a priority.
   *
   * @param priority 0 first, 9 last
   * @return new options
   */
  public StartOptions withPriority(int priority) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
  }

  /**
   * The same with labels: a query such as {@code labels.customer = acme} finds the execution by them.
   *
   * @param labels up to 16 names and values, each up to 128 characters
   * @return new options
   */
  public StartOptions withLabels(Map<String, String> labels) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
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
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
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
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
  }

  /**
   * The same with a trace.
   *
   * @param traceparent as W3C Trace Context says
   * @return new options
   */
  public StartOptions withTraceparent(String traceparent) {
    return new StartOptions(
        version, priority, labels, startAfter, startDeadline, idempotencyKey, traceparent);
  }

  /** The body of a start; a batch adds the key of the entry. */
  Map<String, Object> toBody(String workflowId, Object input) {
    return Json.object(
        "workflow_id", workflowId,
        "workflow_version", version,
        "input", input == null ? Map.of() : input,
        "priority", priority,
        "labels", labels,
        "start_after", startAfter,
        "start_deadline", startDeadline);
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
