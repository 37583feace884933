package io.svc.internal.turn;

import java.util.function.Supplier;

/** What a fiber waits for. The turn, or another fiber, sets it; only the first time counts. */
final class Waiter<T> {
  private final Fibers fibers;
  private final Fibers.Fiber fiber;
  private Supplier<T> outcome;

  Waiter(Fibers fibers, Fibers.Fiber fiber) {
    this.fibers = fibers;
    this.fiber = fiber;
  }

  void succeed(T value) {
    settle(() -> value);
  }

  void fail(RuntimeException error) {
    settle(
        () -> {
          throw error;
        });
  }

  /** Throws what it failed with, on the thread that waits. */
  T await() {
    while (outcome == null) {
      fiber.park();
    }
    return outcome.get();
  }

  private void settle(Supplier<T> result) {
    if (outcome == null) {
      outcome = result;
      fibers.wake(fiber);
    }
  }
}
