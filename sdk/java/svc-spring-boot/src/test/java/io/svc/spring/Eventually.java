package io.svc.spring;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for states that only polling detects. */
final class Eventually {
  private static final long MAX_NANOS = Duration.ofSeconds(20).toNanos();

  private Eventually() {}

  static void until(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + MAX_NANOS;
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        fail("not in time: " + what);
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        fail("interrupted");
      }
    }
  }
}
