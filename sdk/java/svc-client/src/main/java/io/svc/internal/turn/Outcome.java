package io.svc.internal.turn;

import io.svc.errors.Fatal;
import io.svc.functions.ChildException;
import io.svc.functions.FunctionLimitException;
import io.svc.functions.StepException;
import io.svc.functions.WaitTimeoutException;
import java.util.List;
import java.util.Map;

/**
 * What a turn came to.
 *
 * @param entries those that the request to the runtime carries
 * @param output of a completion; of a continuation the input of the next visit
 * @param error why it failed
 * @param usage model usage that no entry records; null: none
 * @param rollsBack a compensation failed: its code runs again in each attempt
 */
public record Outcome(
    Kind kind,
    List<Map<String, Object>> entries,
    Map<String, Object> output,
    Throwable error,
    Map<String, Object> usage,
    boolean rollsBack) {
  /** How it ended. */
  public enum Kind {
    COMPLETED,
    FAILED,
    CONTINUED,
    SUSPENDED,
    STOPPED
  }

  static Outcome of(Kind kind, List<Map<String, Object>> entries) {
    return new Outcome(kind, entries, Map.of(), null, null, false);
  }

  static Outcome failed(List<Map<String, Object>> entries, Throwable error) {
    return new Outcome(Kind.FAILED, entries, Map.of(), error, null, false);
  }

  /** Another attempt would come to the same. */
  public boolean isFinal() {
    if (rollsBack) {
      return error instanceof Fatal;
    }
    // The journal has the last three: a replay throws them again.
    return error instanceof Fatal
        || error instanceof FunctionLimitException
        || error instanceof StepException
        || error instanceof WaitTimeoutException
        || error instanceof ChildException;
  }
}
