package io.svc.functions;

/** What the code of a step knows about its call. */
public interface StepContext {
  /**
   * The same for every run of the step: pass it to every system that the step changes.
   *
   * @return 64 hexadecimal digits
   */
  String idempotencyKey();

  /**
   * The number of the attempt.
   *
   * @return from 1
   */
  int attempt();

  /**
   * Whether the step must stop. Then its thread is interrupted, too.
   *
   * @return true from then on
   */
  boolean isCancelled();

  /**
   * Reports the use of a model. All reports of a step add up, also those of failed attempts.
   *
   * @param usage tokens, and optionally model and cost
   */
  void reportUsage(Usage usage);
}
