package io.svc.functions;

import io.svc.json.Json;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A durable function: give it to a worker, start it by its name, call it from other functions.
 *
 * <p>Its code runs again from the start in each turn, and gets the results of its steps from the
 * journal. Everything that has an effect, or may come out differently, belongs in {@link
 * FunctionContext#step}. Input and output are objects of JSON, or records.
 *
 * @param <I> the input
 * @param <O> the output
 */
public final class DurableFunction<I, O> {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,200}");
  private final String name;
  private final Type input;
  private final Type output;
  private final FunctionCode<? super I, ? extends O> code;
  private final FunctionOptions options;

  private DurableFunction(
      String name,
      Type input,
      Type output,
      FunctionCode<? super I, ? extends O> code,
      FunctionOptions options) {
    this.name = name;
    this.input = input;
    this.output = output;
    this.code = code;
    this.options = options;
  }

  /**
   * Names the code of a function.
   *
   * @param <I> the input
   * @param <O> the output
   * @param name 1 to 200 letters, digits, {@code .}, {@code _} and {@code -}
   * @param input what the input becomes: a record, {@code Map} …
   * @param output what a caller gets: a record, {@code Map} …
   * @param code the function
   * @return the function
   * @throws IllegalArgumentException for a wrong name
   */
  public static <I, O> DurableFunction<I, O> of(
      String name,
      Class<I> input,
      Class<O> output,
      FunctionCode<? super I, ? extends O> code) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of a function has 1 to 200 letters, digits, \".\", \"_\" and \"-\": " + name);
    }
    return new DurableFunction<>(name, input, output, code, FunctionOptions.DEFAULT);
  }

  /**
   * The same with options.
   *
   * @param options queue, version, time limit …
   * @return a new function
   */
  public DurableFunction<I, O> with(FunctionOptions options) {
    return new DurableFunction<>(name, input, output, code, options);
  }

  /**
   * The name, which is also that of the workflow.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * What the input becomes.
   *
   * @return the type
   */
  public Type input() {
    return input;
  }

  /**
   * What a caller gets.
   *
   * @return the type
   */
  public Type output() {
    return output;
  }

  /**
   * The function itself.
   *
   * @return its code
   */
  public FunctionCode<? super I, ? extends O> code() {
    return code;
  }

  /**
   * Queue, version, time limit …
   *
   * @return the options
   */
  public FunctionOptions options() {
    return options;
  }

  /**
   * The workflow that has the function as its one node.
   *
   * @return its definition, as a worker registers it
   */
  public Map<String, Object> toIr() {
    Map<String, Object> kind =
        Json.object(
            "type", "function",
            "name", name,
            "queue", options.queue(),
            "pinned", options.pinned(),
            "count_suspended", options.countSuspended());
    Map<String, Object> node =
        Json.object(
            "kind", kind,
            "output_key", "output",
            "node_timeout_secs", options.timeoutSecs(),
            "retry_policy", options.retryPolicy());
    Map<String, Object> ir = new LinkedHashMap<>(options.workflow());
    ir.put("workflow_id", name);
    ir.put("version", options.version());
    ir.put("nodes", Map.of("run", node));
    return ir;
  }
}
