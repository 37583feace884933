package io.svc.functions;

/**
 * The code of a step with a result.
 *
 * @param <T> the result
 */
@FunctionalInterface
public interface StepCode<T> {
  /**
   * Does the work. It must not use the context of the function.
   *
   * @param step what is known about the call
   * @return a value of JSON, or a record
   * @throws Exception fails the attempt
   */
  T run(StepContext step) throws Exception;
}
