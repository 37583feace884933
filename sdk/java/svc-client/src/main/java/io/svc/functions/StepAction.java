package io.svc.functions;

/** The code of a step without a result, or of a rollback. */
@FunctionalInterface
public interface StepAction {
  /**
   * Does the work. It must not use the context of the function.
   *
   * @param step what is known about the call
   * @throws Exception fails the attempt
   */
  void run(StepContext step) throws Exception;
}
