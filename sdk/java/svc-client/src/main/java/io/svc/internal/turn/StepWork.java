package io.svc.internal.turn;

import io.svc.functions.StepCode;
import io.svc.functions.StepOptions;
import io.svc.internal.Described;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/**
 * A step.
 *
 * <p>It runs when nothing is recorded under its identity. It is tried again within the turn while
 * the pauses are short. A longer pause is recorded as {@code NAME/retry[1]}, a value with the
 * attempts so far, and waited for as the timer {@code NAME/back-off[1]}, so a later turn forgets
 * neither the attempts nor the pause. That value carries the model usage of its attempts, and the
 * entry of the step that of the later.
 *
 * @param round from 1; grows with each long pause
 * @param before the attempts of earlier rounds
 */
record StepWork(
    Turn turn,
    TurnTools tools,
    String identity,
    Scope scope,
    StepCode<?> code,
    StepOptions options,
    int round,
    int before)
    implements Work {
  /** A longer pause suspends the function, so that no process waits for it. */
  static final Duration PAUSE_IN_TURN_MAX = Duration.ofSeconds(5);

  /** Sees that the step runs as often as it takes. */
  void begin() {
    Map<String, Object> marker = turn.find(identity + "/retry[" + round + "]", "value");
    if (marker != null) {
      Map<String, Object> pending = Json.asObject(marker.get("output"));
      pause(((Number) pending.get("attempts")).intValue(), (Number) pending.get("delay_ms"));
    } else if (!turn.log().contains(identity)) {
      turn.addWork(this);
    }
  }

  @Override
  public Runnable run() {
    if (!options.isRecordedAtEnd()) {
      turn.log().flushSeen();
    }
    if (turn.isOver()) {
      return () -> {};
    }
    if (turn.log().exceeded() != null) {
      return () -> turn.block(identity);
    }
    return new Tries().run();
  }

  private void pause(int attempts, Number delayMs) {
    String own = identity + "/back-off[" + round + "]";
    Map<String, Object> wait =
        Map.of("identity", own, "kind", "timer", "delay_ms", delayMs.longValue());
    StepWork next =
        new StepWork(turn, tools, identity, scope, code, options, round + 1, attempts);
    turn.ask(new Ask(own, "timer", scope, entry -> next.begin(), error -> {}, () -> wait));
  }

  /** The attempts of one round. */
  private final class Tries {
    private final Instant beganAt = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final long began = System.nanoTime();
    private final UsageSum usage = new UsageSum();

    Runnable run() {
      Attempt one = new Attempt(tools, identity, code, options.timeout(), usage);
      for (int attempt = before + 1; ; attempt++) {
        try {
          Object output = Json.toJson(one.run(attempt), "output");
          return ended(attempt, "output", output);
        } catch (Throwable error) {
          // Stopped, it says nothing about the step: another turn runs it again.
          if (tools.stopped().isSet() || scope.isAbandoned()) {
            return () -> {};
          }
          Runnable done = afterFailure(error, attempt);
          if (done != null) {
            return done;
          }
        }
      }
    }

    /** Null: another attempt follows now. */
    private Runnable afterFailure(Throwable error, int attempt) {
      Described what = Described.of(error);
      Optional<Duration> delay = options.retry().delayAfter(error, attempt);
      String retried = delay.isEmpty() ? "the step failed" : "the step failed, and is retried";
      String line = retried + ": step " + identity + ", " + what.message();
      tools.logger().log(Level.WARNING, line, error);
      if (delay.isEmpty()) {
        Object recorded = Map.of("message", what.message(), "class", what.errorClass());
        return ended(attempt, "error", recorded);
      }
      if (delay.get().compareTo(PAUSE_IN_TURN_MAX) > 0) {
        return () -> postpone(attempt, delay.get().toMillis());
      }
      return tools.stopped().await(delay.get().toMillis()) ? () -> {} : null;
    }

    private Runnable ended(int attempts, String key, Object result) {
      Map<String, Object> entry = Entries.of(identity, "step");
      entry.put(key, result);
      entry.put("attempts", attempts);
      entry.put("started_at", beganAt.toString());
      entry.put("duration_ms", (System.nanoTime() - began) / 1_000_000);
      usage.addTo(entry);
      return () -> {
        if (options.isRecordedAtEnd()) {
          turn.note(entry, false);
        } else {
          turn.record(entry);
        }
      };
    }

    /** The step is tried again after a long pause. */
    private void postpone(int attempts, long delayMs) {
      String own = identity + "/retry[" + round + "]";
      // Asked for, so that the code passes it.
      turn.find(own, "value");
      Map<String, Object> output = Map.of("attempts", attempts, "delay_ms", delayMs);
      Map<String, Object> entry = Entries.withOutput(own, "value", output);
      usage.addTo(entry);
      turn.note(entry, false);
      pause(attempts, delayMs);
    }
  }
}
