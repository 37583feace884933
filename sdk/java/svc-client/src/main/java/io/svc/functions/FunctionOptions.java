package io.svc.functions;

import io.svc.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a durable function is served.
 *
 * @param queue the named queue of its work; null: none
 * @param version the version of its workflow
 * @param timeoutSecs bounds a visit of the function, waiting included; null: no bound
 * @param countSuspended false: the bound leaves out the time in which the function is suspended;
 *     null: true
 * @param pinned true: a run stays with the build of the worker that began it; null: false
 * @param retryPolicy for failures outside steps, as {@code retry_policy} of a node: a name or a
 *     map; null: the default
 * @param isStrict false: recorded entries that the code does not ask for are a warning, and no
 *     error
 * @param workflow further members of the workflow, as {@code description} or {@code token_budget}
 */
public record FunctionOptions(
    String queue,
    String version,
    Integer timeoutSecs,
    Boolean countSuspended,
    Boolean pinned,
    Object retryPolicy,
    boolean isStrict,
    Map<String, Object> workflow) {
  /** Version 1.0.0, and the default of everything else. */
  public static final FunctionOptions DEFAULT =
      new FunctionOptions(null, "1.0.0", null, null, null, null, true, Map.of());

  /**
   * The same on a named queue.
   *
   * @param queue the name
   * @return new options
   */
  public FunctionOptions withQueue(String queue) {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, isStrict, workflow);
  }

  /**
   * The same with a version.
   *
   * @param version the version of the workflow
   * @return new options
   */
  public FunctionOptions withVersion(String version) {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, isStrict, workflow);
  }

  /**
   * The same with a bound.
   *
   * @param timeoutSecs seconds of a visit, waiting included
   * @return new options
   */
  public FunctionOptions withTimeoutSecs(int timeoutSecs) {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, isStrict, workflow);
  }

  /**
   * The same, with runs that stay with the build of the worker that began them.
   *
   * @return new options
   */
  public FunctionOptions pinnedToBuild() {
    return copy(queue, version, timeoutSecs, true, retryPolicy, isStrict, workflow);
  }

  /**
   * The same with a policy for failures outside steps.
   *
   * @param retryPolicy a name or a map
   * @return new options
   */
  public FunctionOptions withRetryPolicy(Object retryPolicy) {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, isStrict, workflow);
  }

  /**
   * The same, with a warning for recorded entries that the code does not ask for.
   *
   * @return new options
   */
  public FunctionOptions lenient() {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, false, workflow);
  }

  /**
   * The same with further members of the workflow.
   *
   * @param workflow as {@code description} or {@code token_budget}
   * @return new options
   */
  public FunctionOptions withWorkflow(Map<String, Object> workflow) {
    return copy(queue, version, timeoutSecs, pinned, retryPolicy, isStrict, workflow);
  }

  /**
   * The same with a limit of executions that run at a time. The others wait in the order of their
   * starts.
   *
   * @param key an expression over the input, as {@code input.customer}: executions with the same
   *     value share the limit; null: all of the function
   * @param limit 1 to 10 000
   * @return new options
   */
  public FunctionOptions withConcurrency(String key, int limit) {
    return withConcurrency(key, limit, null);
  }

  /**
   * The same with an effect on a start when the limit is reached.
   *
   * @param key an expression over the input; null: all of the function
   * @param limit 1 to 10 000
   * @param whenFull {@code queue} lets the start wait, {@code refuse} answers 409,
   *     {@code cancel_oldest} cancels the oldest execution; null: {@code queue}
   * @return new options
   */
  public FunctionOptions withConcurrency(String key, int limit, String whenFull) {
    return withRule("concurrency", Json.object("key", key, "limit", limit, "when_full", whenFull));
  }

  /**
   * The same with a rate: at most so many executions begin in each {@code per}. The others wait in the
   * order of their starts.
   *
   * @param key an expression over the input: executions with the same value share the rate; null: all
   *     of the function
   * @param limit 1 to 1 000 000
   * @param per a duration such as {@code 1m}, from one second to one day
   * @return new options
   */
  public FunctionOptions withRate(String key, int limit, String per) {
    return withRule("rate", Json.object("key", key, "limit", limit, "per", per));
  }

  /**
   * The same with a debounce: of starts that come soon after each other, the last begins. The others
   * end as cancelled.
   *
   * @param key an expression over the input: starts with the same value displace each other; null:
   *     all of the function
   * @param wait how long a start waits for another, such as {@code 10s}
   * @return new options
   */
  public FunctionOptions withDebounce(String key, String wait) {
    return withRule("debounce", Json.object("key", key, "wait", wait));
  }

  /**
   * The same with a batch: starts gather, and one execution begins for all of them. Its input is {@code
   * {"items": […]}}: their inputs in order. The others end as cancelled.
   *
   * @param key an expression over the input: starts with the same value gather in one batch; null: all
   *     of the function
   * @param max the batch closes with so many starts: 2 to 1 000
   * @param wait the time from its first start after which the batch closes, such as {@code 30s}
   * @return new options
   */
  public FunctionOptions withBatch(String key, int max, String wait) {
    return withRule("batch", Json.object("key", key, "max", max, "wait", wait));
  }

  /**
   * The same with fairness: keys take turns when workers claim from a queue, so no key waits for all
   * items of another.
   *
   * @param key an expression over the input: executions with the same value share the turns of the key
   * @param weight how many items a key gets while another of weight 1 gets one: a number from 0.01 to
   *     100, or an expression over the input; null: 1
   * @return new options
   */
  public FunctionOptions withFairness(String key, Object weight) {
    return withRule("fairness", Json.object("key", key, "weight", weight));
  }

  private FunctionOptions withRule(String name, Map<String, Object> rule) {
    Map<String, Object> members = new LinkedHashMap<>(workflow);
    members.put(name, rule);
    return withWorkflow(members);
  }

  private FunctionOptions copy(
      String queue,
      String version,
      Integer timeoutSecs,
      Boolean pinned,
      Object retryPolicy,
      boolean isStrict,
      Map<String, Object> workflow) {
    return new FunctionOptions(
        queue, version, timeoutSecs, countSuspended, pinned, retryPolicy, isStrict, workflow);
  }
}
