package io.svc.internal.turn;

import io.svc.functions.Retry;
import io.svc.functions.StepAction;
import io.svc.functions.StepCode;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a function registered with {@code ctx.onRollback} in this turn. */
final class Compensations {
  /**
   * Within a turn; then the item fails, and the policy of the node decides about another attempt.
   */
  private static final Retry RETRY = Retry.attempts(3);

  private final Map<String, StepAction> all = new LinkedHashMap<>();

  /** A rollback that failed, and the model usage of its attempts, which no entry records. */
  record Failed(Throwable error, Map<String, Object> usage) {}

  void register(String identity, StepAction run) {
    all.put(identity, run);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /**
   * Runs what is recorded as registered and has not run, in reverse order, and records each.
   *
   * <p>It leaves out rollbacks that the replay is the first to register, because nothing of them
   * has happened. Those registered before a rollback that fails have to wait for it. Throws what
   * the journal threw.
   *
   * @return null: all have run
   */
  Failed run(TurnTools tools, EntryLog log, Journal journal) {
    List<String> registered = new ArrayList<>(log.givenOf("on_rollback"));
    for (String identity : registered.reversed()) {
      String own = "rollback/" + identity;
      if (log.contains(own)) {
        continue;
      }
      StepAction run = all.get(identity);
      if (run == null) {
        String recorded = Entries.quote("on_rollback", identity);
        return new Failed(EntryLog.divergence(recorded, "no such rollback"), null);
      }
      UsageSum usage = new UsageSum();
      try {
        runOne(tools, own, run, usage);
      } catch (Throwable error) {
        return new Failed(error, usage.sum());
      }
      Map<String, Object> entry = Entries.withOutput(own, "rollback", null);
      usage.addTo(entry);
      journal.append(List.of(entry));
    }
    return null;
  }

  private static void runOne(
      TurnTools tools, String identity, StepAction run, UsageSum usage) throws Throwable {
    StepCode<?> code =
        step -> {
          run.run(step);
          return null;
        };
    Attempt one = new Attempt(tools, identity, code, null, usage);
    for (int attempt = 1; ; attempt++) {
      tools.stopped().throwIfSet();
      try {
        one.run(attempt);
        return;
      } catch (Throwable error) {
        tools.stopped().throwIfSet();
        Optional<Duration> delay = RETRY.delayAfter(error, attempt);
        // The item fails, and comes back after a longer pause.
        if (delay.isEmpty() || delay.get().compareTo(StepWork.PAUSE_IN_TURN_MAX) > 0) {
          throw error;
        }
        tools
            .logger()
            .log(
                Level.WARNING,
                "the rollback failed, and is retried: " + identity + ", " + error.getMessage(),
                error);
        tools.stopped().await(delay.get().toMillis());
      }
    }
  }
}
