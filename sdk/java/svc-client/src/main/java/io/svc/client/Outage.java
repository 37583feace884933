package io.svc.client;

import io.svc.errors.SvcException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Carries a long wait over an outage of the service, such as a restart, of up to a minute. */
final class Outage {
  private static final long NANOS_MAX = Duration.ofSeconds(60).toNanos();
  private static final long DELAY_MS_MIN = 100;
  private static final long DELAY_MS_MAX = 5000;
  private boolean isOpen;
  private long since;
  private long delayMs = DELAY_MS_MIN;

  void end() {
    isOpen = false;
    delayMs = DELAY_MS_MIN;
  }

  /** Milliseconds before the next attempt. Throws the error where it is none, or lasts too long. */
  long pauseAfter(SvcException error) {
    long now = System.nanoTime();
    since = isOpen ? since : now;
    isOpen = true;
    if (now - since > NANOS_MAX || !RetryPolicy.isWorthRetrying(error, true)) {
      throw error;
    }
    long delay = ThreadLocalRandom.current().nextLong(delayMs + 1);
    delayMs = Math.min(delayMs * 2, DELAY_MS_MAX);
    return delay;
  }
}
