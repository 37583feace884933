package io.svc.internal;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A call of the user's code on a virtual thread of its own, which can be left behind. */
public final class CodeCall<T> {
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread thread;
  private final CountDownLatch news = new CountDownLatch(1);
  private T result;
  private Throwable error;

  public CodeCall(String name, Callable<T> code) {
    thread = Thread.ofVirtual().name("svc-" + name).unstarted(() -> run(code));
    thread.start();
  }

  /**
   * Waits for the end of the code, or for the signal.
   *
   * @return false: the code still runs
   */
  public boolean await(Signal stopped, Long milliseconds) {
    Runnable tell = news::countDown;
    stopped.onSet(tell);
    try {
      awaitLatch(news, milliseconds);
    } finally {
      stopped.forget(tell);
    }
    return isDone();
  }

  /** Asks the code to stop, and waits for it. False: it goes on, and nobody waits for it. */
  public boolean interrupt(long milliseconds) {
    thread.interrupt();
    awaitLatch(done, milliseconds);
    return isDone();
  }

  public boolean isDone() {
    return done.getCount() == 0;
  }

  /** What the code returned. Throws what it threw. */
  public T result() throws Throwable {
    if (error != null) {
      throw error;
    }
    return result;
  }

  private void run(Callable<T> code) {
    try {
      result = code.call();
    } catch (Throwable thrown) {
      error = thrown;
    } finally {
      done.countDown();
      news.countDown();
    }
  }

  private static void awaitLatch(CountDownLatch latch, Long milliseconds) {
    try {
      if (milliseconds == null) {
        latch.await();
      } else {
        latch.await(milliseconds, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException error) {
      throw new IllegalStateException("a thread of the worker was interrupted", error);
    }
  }
}
