package io.svc.functions;

import io.svc.json.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What a durable function does with the outside world.
 *
 * <p>Every call blocks until its result is there. When the code only waits, the turn ends: no
 * process holds the function meanwhile, and the next turn runs it again from its first line. Use it
 * on the thread that runs the function, or a branch of it: the code of a step must not use it.
 *
 * <p>The code of the function must come out the same in each turn. Clocks, chance and everything
 * outside belong in {@link #step}, {@link #now}, {@link #random} and {@link #uuid}. At the end of a
 * turn, a call of this context throws an {@link Error} that ends the code. Don't catch {@link
 * Throwable}.
 */
public interface FunctionContext {
  /**
   * The execution.
   *
   * @return its id
   */
  String executionId();

  /**
   * The node of the function.
   *
   * @return its id
   */
  String nodeId();

  /**
   * The number of the turn, which grows with each stay of the function with a worker.
   *
   * @return from 0
   */
  int turn();

  /**
   * The number of the attempt.
   *
   * @return from 0
   */
  int attempt();

  /**
   * Names the visit of the function.
   *
   * @return the key
   */
  String idempotencyKey();

  /**
   * The W3C trace context of the function.
   *
   * @return empty if there is none
   */
  Optional<String> traceparent();

  /**
   * Silent while the code goes over what earlier turns did.
   *
   * @return puts the ids of the item behind each line
   */
  System.Logger logger();

  /**
   * Runs the code at least once, and records its result exactly once.
   *
   * @param <T> the result
   * @param name 1 to 200 characters without {@code #}, {@code /}, {@code [} and {@code ]}
   * @param type what the recorded result becomes: a record, {@code String} …
   * @param run the code
   * @return the recorded result
   * @throws StepException after the last attempt
   */
  default <T> T step(String name, Class<T> type, StepCode<? extends T> run) {
    return step(name, type, run, StepOptions.DEFAULT);
  }

  /**
   * Runs the code at least once, and records its result exactly once.
   *
   * @param <T> the result
   * @param name 1 to 200 characters without {@code #}, {@code /}, {@code [} and {@code ]}
   * @param type what the recorded result becomes: a record, {@code String} …
   * @param run the code
   * @param options attempts, time limit …
   * @return the recorded result
   * @throws StepException after the last attempt
   */
  <T> T step(String name, Class<T> type, StepCode<? extends T> run, StepOptions options);

  /**
   * Runs the code at least once, and records its result exactly once.
   *
   * @param <T> the result
   * @param name 1 to 200 characters without {@code #}, {@code /}, {@code [} and {@code ]}
   * @param type what the recorded result becomes, such as {@code new TypeRef<List<Order>>() {}}
   * @param run the code
   * @param options attempts, time limit …
   * @return the recorded result
   * @throws StepException after the last attempt
   */
  <T> T step(String name, TypeRef<T> type, StepCode<? extends T> run, StepOptions options);

  /**
   * Runs code without a result at least once, and records exactly once that it ran.
   *
   * @param name 1 to 200 characters without {@code #}, {@code /}, {@code [} and {@code ]}
   * @param run the code
   * @throws StepException after the last attempt
   */
  default void step(String name, StepAction run) {
    step(name, run, StepOptions.DEFAULT);
  }

  /**
   * Runs code without a result at least once, and records exactly once that it ran.
   *
   * @param name 1 to 200 characters without {@code #}, {@code /}, {@code [} and {@code ]}
   * @param run the code
   * @param options attempts, time limit …
   * @throws StepException after the last attempt
   */
  void step(String name, StepAction run, StepOptions options);

  /**
   * Waits for a time.
   *
   * @param duration the time
   */
  default void sleep(Duration duration) {
    sleep("sleep", duration);
  }

  /**
   * Waits for a time, under a name.
   *
   * @param name names the wait in the journal
   * @param duration the time
   */
  void sleep(String name, Duration duration);

  /**
   * Waits until a time.
   *
   * @param time the time
   */
  default void sleepUntil(Instant time) {
    sleepUntil("sleep-until", time);
  }

  /**
   * Waits until a time, under a name.
   *
   * @param name names the wait in the journal
   * @param time the time
   */
  void sleepUntil(String name, Instant time);

  /**
   * Waits for the external event whose correlation key is the name. One that came before counts.
   *
   * @param <T> the payload
   * @param name the correlation key
   * @param type what the payload becomes: a record, {@code Map}, {@code Object} …
   * @return the payload
   */
  default <T> T waitEvent(String name, Class<T> type) {
    return waitEvent(name, type, EventOptions.DEFAULT);
  }

  /**
   * Waits for an external event. One that came before counts.
   *
   * @param <T> the payload
   * @param name names the wait in the journal
   * @param type what the payload becomes: a record, {@code Map}, {@code Object} …
   * @param options the correlation key, and a time limit
   * @return the payload
   * @throws WaitTimeoutException after the time limit
   */
  <T> T waitEvent(String name, Class<T> type, EventOptions options);

  /**
   * Waits for the decision of a person.
   *
   * @param name names the approval
   * @return the decision
   */
  default Approval approval(String name) {
    return approval(name, ApprovalOptions.DEFAULT);
  }

  /**
   * Waits for the decision of a person.
   *
   * @param name names the approval
   * @param options what the person is shown, and a time limit
   * @return the decision
   * @throws WaitTimeoutException after the time limit
   */
  Approval approval(String name, ApprovalOptions options);

  /**
   * Starts a function as a child execution and waits for its end.
   *
   * @param <I> the input
   * @param <O> the output
   * @param function the function, which another worker may serve
   * @param input its input
   * @return its output
   * @throws ChildException when it fails or is cancelled
   */
  default <I, O> O call(DurableFunction<I, O> function, I input) {
    return call(function, input, CallOptions.DEFAULT);
  }

  /**
   * Starts a function as a child execution and waits for its end.
   *
   * @param <I> the input
   * @param <O> the output
   * @param function the function, which another worker may serve
   * @param input its input
   * @param options a name, and a version
   * @return its output
   * @throws ChildException when it fails or is cancelled
   */
  <I, O> O call(DurableFunction<I, O> function, I input, CallOptions options);

  /**
   * Starts a workflow as a child execution and waits for its end.
   *
   * @param workflowId the workflow
   * @param input an object of JSON, or a record; null is an empty one
   * @return its final state
   * @throws ChildException when it fails or is cancelled
   */
  default Map<String, Object> call(String workflowId, Object input) {
    return call(workflowId, input, CallOptions.DEFAULT);
  }

  /**
   * Starts a workflow as a child execution and waits for its end.
   *
   * @param workflowId the workflow
   * @param input an object of JSON, or a record; null is an empty one
   * @param options a name, and a version
   * @return its final state
   * @throws ChildException when it fails or is cancelled
   */
  Map<String, Object> call(String workflowId, Object input, CallOptions options);

  /**
   * Runs branches side by side. The first exception of a branch is thrown.
   *
   * @param <T> the result of a branch
   * @param branches code that names its steps for itself
   * @return the results, in the order of the branches
   * @throws Exception what a branch throws
   */
  <T> List<T> gather(Collection<? extends Branch<? extends T>> branches) throws Exception;

  /**
   * Runs branches side by side, gives the result of the one that ends first, and ends the others.
   *
   * @param <T> the result of a branch
   * @param branches code that names its steps for itself
   * @return the result of the first
   * @throws Exception what the first throws
   */
  <T> T race(Collection<? extends Branch<? extends T>> branches) throws Exception;

  /**
   * Runs code for each item, ten at a time.
   *
   * @param <I> an item
   * @param <O> its result
   * @param items the items
   * @param run code that names its steps for itself
   * @return the results, in the order of the items
   * @throws Exception what an item throws; then no further item begins
   */
  default <I, O> List<O> map(Collection<I> items, MapCode<? super I, ? extends O> run)
      throws Exception {
    return map(items, run, MapOptions.DEFAULT);
  }

  /**
   * Runs code for each item.
   *
   * @param <I> an item
   * @param <O> its result
   * @param items the items
   * @param run code that names its steps for itself
   * @param options a name, and how many items at a time
   * @return the results, in the order of the items
   * @throws Exception what an item throws; then no further item begins
   */
  <I, O> List<O> map(
      Collection<I> items, MapCode<? super I, ? extends O> run, MapOptions options)
      throws Exception;

  /**
   * The time; the same in each turn.
   *
   * @return to the millisecond
   */
  Instant now();

  /**
   * A random number; the same in each turn.
   *
   * @return from 0 to below 1
   */
  double random();

  /**
   * A new id; the same in each turn.
   *
   * @return a UUID of version 8
   */
  UUID uuid();

  /**
   * The version of a change with which this execution runs.
   *
   * @param change names the change
   * @param version the version of this code, from 1
   * @return 0 for an execution from before the change
   */
  int version(String change, int version);

  /**
   * Sets labels of the execution, to find it by. They are recorded with the next entry or wait, or
   * with the end of the function, and stay when it fails.
   *
   * @param labels they replace labels of the same names
   * @throws io.svc.errors.Fatal for more than 16 labels, and for names and values that no label can
   *     have
   */
  void setLabels(Map<String, String> labels);

  /**
   * Registers how to undo what comes next, for a failure or a cancel of the execution.
   *
   * @param name names the rollback
   * @param run the code, which runs like a step
   */
  void onRollback(String name, StepAction run);

  /**
   * Ends this visit; another begins with the input and an empty journal.
   *
   * @param <T> any type, for {@code return ctx.continueAsNew(…)}
   * @param input the input of the next visit
   * @return never
   * @throws ContinueAsNewException while rollbacks are registered
   */
  <T> T continueAsNew(Object input);
}
