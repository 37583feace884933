package io.svc.internal.request;

import java.lang.System.Logger.Level;

/**
 * Logs why a request is sent again: at the first failure, and then at growing intervals, with how
 * long the worker has tried. A restart of the runtime is one or two lines, and an outage is never
 * silent.
 */
public final class RetryLog {
  private final System.Logger logger;
  private final String what;
  private final long since = System.nanoTime();
  private int failures;

  public RetryLog(System.Logger logger, String what) {
    this.logger = logger;
    this.what = what;
  }

  public int failures() {
    return failures;
  }

  public void failed(NoAnswer error) {
    failures++;
    if (failures == 1) {
      logger.log(Level.WARNING, what + ", trying again: " + error.getMessage());
    } else if (failures >= 4 && Integer.bitCount(failures) == 1) {
      // The 4th, the 8th, the 16th and so on, as pauses grow to 5 s.
      long tried = Math.round((System.nanoTime() - since) / 1e9);
      logger.log(Level.WARNING, what + ", trying again for " + tried + " s: " + error.getMessage());
    }
  }
}
