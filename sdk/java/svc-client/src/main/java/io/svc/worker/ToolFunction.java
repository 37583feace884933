package io.svc.worker;

/**
 * The code of a tool.
 *
 * @param <I> the input of the node
 */
@FunctionalInterface
public interface ToolFunction<I> {
  /**
   * Does the work. An exception fails the attempt; its simple name is the class that is recorded.
   *
   * @param input the input of the node
   * @param ctx what is known about the call
   * @return an object of JSON: a map or a record; null is an empty one
   * @throws Exception fails the attempt; see {@link io.svc.errors.Fatal} and {@link
   *     io.svc.errors.RetryAfter}
   */
  Object run(I input, ToolContext ctx) throws Exception;
}
