package io.svc.functions;

/**
 * Code that runs for each item of a list.
 *
 * @param <I> an item
 * @param <O> its result
 */
@FunctionalInterface
public interface MapCode<I, O> {
  /**
   * Runs for one item. It names its steps for itself.
   *
   * @param item the item
   * @return the result
   * @throws Exception is thrown where the results are awaited
   */
  O run(I item) throws Exception;
}
