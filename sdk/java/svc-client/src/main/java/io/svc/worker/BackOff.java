package io.svc.worker;

import java.util.concurrent.ThreadLocalRandom;

/** Pauses between tries: from 0.25 to 5 s, spread over the upper half. */
final class BackOff {
  private static final double FIRST_MS = 250;
  private static final double MOST_MS = 5000;

  private BackOff() {}

  static long ms(int failures) {
    double most = Math.min(FIRST_MS * Math.pow(2, failures - 1), MOST_MS);
    return (long) (most * (0.5 + ThreadLocalRandom.current().nextDouble() / 2));
  }
}
