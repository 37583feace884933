package io.svc.functions;

/**
 * Code that runs beside other code of the same function.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface Branch<T> {
  /**
   * Runs the branch. It names its steps for itself.
   *
   * @return the result
   * @throws Exception is thrown where the branches are awaited
   */
  T run() throws Exception;
}
