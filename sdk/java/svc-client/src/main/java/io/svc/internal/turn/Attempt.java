package io.svc.internal.turn;

import io.svc.errors.ExecutionCancelled;
import io.svc.functions.StepCode;
import io.svc.functions.StepContext;
import io.svc.functions.Usage;
import io.svc.internal.CodeCall;
import io.svc.internal.Signal;
import java.time.Duration;

/** One attempt of a step or a rollback: its code, on a virtual thread of its own. */
record Attempt(
    TurnTools tools, String identity, StepCode<?> code, Duration timeout, UsageSum usage) {
  /** Code that ends by then, after its execution is cancelled, has its result recorded. */
  private static final long CANCEL_MS_MAX = 10_000;

  private static final long INTERRUPT_MS_MAX = 0;

  private record Known(String idempotencyKey, int attempt, Signal stopped, UsageSum usage)
      implements StepContext {
    @Override
    public boolean isCancelled() {
      return stopped.isSet();
    }

    @Override
    public void reportUsage(Usage report) {
      usage.add(report);
    }
  }

  /** Calls the code once, within its time. Throws the signal's reason when the work must stop. */
  Object run(int number) throws Throwable {
    Signal own = new Signal(tools.stopped());
    StepContext step = new Known(Derive.key(tools.visitKey(), identity), number, own, usage);
    CodeCall<Object> call = new CodeCall<>(identity, () -> code.run(step));
    try {
      if (call.await(own, timeout == null ? null : timeout.toMillis())) {
        return call.result();
      }
      if (!own.isSet()) {
        throw tooLate(own, call);
      }
      return stop(call);
    } finally {
      own.detach();
    }
  }

  private TimeoutError tooLate(Signal own, CodeCall<Object> call) {
    String message = "the step took longer than " + timeout.toMillis() + " ms";
    own.set(new IllegalStateException(message));
    call.interrupt(INTERRUPT_MS_MAX);
    return new TimeoutError(message);
  }

  private Object stop(CodeCall<Object> call) throws Throwable {
    RuntimeException reason = tools.stopped().reason();
    boolean isCancelled = reason instanceof ExecutionCancelled;
    // What the code has done is recorded, so that its rollback knows of it.
    if (call.interrupt(isCancelled ? CANCEL_MS_MAX : INTERRUPT_MS_MAX) && isCancelled) {
      return call.result();
    }
    throw reason;
  }
}
