package io.svc.support;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Polls with a bound. */
public final class Until {
  private static final Duration MAX = Duration.ofSeconds(30);

  private Until() {}

  public static void isTrue(Callable<Boolean> probe) throws Exception {
    long deadline = System.nanoTime() + MAX.toNanos();
    while (!probe.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it did not come true within " + MAX.toSeconds() + " s");
      }
      Thread.sleep(10);
    }
  }
}
