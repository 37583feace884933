package io.svc.functions;

/**
 * The code of a durable function.
 *
 * @param <I> the input
 * @param <O> the output
 */
@FunctionalInterface
public interface FunctionCode<I, O> {
  /**
   * Runs from its first line in each turn, and gets the results of its steps from the journal.
   *
   * @param ctx what the function does with the outside world
   * @param input the input of the node
   * @return an object of JSON: a map or a record; null is an empty one
   * @throws Exception fails the attempt; the retry policy of the node decides about another
   */
  O run(FunctionContext ctx, I input) throws Exception;
}
