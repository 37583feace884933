package io.svc.internal.turn;

import io.svc.internal.Signal;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run the code of a function: one for the function itself, and one for each
 * branch. Exactly one of them runs at a time, and only while the turn waits for it, in the order in
 * which they became ready. So the code comes out the same in each turn, and needs no locks; and the
 * turn knows when the code has nothing left to do.
 */
final class Fibers {
  private static final ThreadLocal<Fiber> CURRENT = new ThreadLocal<>();
  private static final long END_MS_MAX = 5000;
  private static final long SLOW_MS = 10_000;
  private final Signal stopped;
  private final System.Logger logger;
  private final Deque<Fiber> ready = new ArrayDeque<>();
  private final List<Fiber> all = new ArrayList<>();

  /** The baton, on its way back to the turn. */
  private final Semaphore back = new Semaphore(0);

  private volatile boolean isOver;

  Fibers(Signal stopped, System.Logger logger) {
    this.stopped = stopped;
    this.logger = logger;
  }

  /** One thread of the code. */
  final class Fiber {
    private final Scope scope;
    private final Thread thread;
    private final Semaphore baton = new Semaphore(0);
    private boolean isStarted;
    private boolean isDone;
    private boolean isCancelled;

    private Fiber(Scope scope, Runnable code) {
      this.scope = scope;
      this.thread = Thread.ofVirtual().name("svc-function").unstarted(() -> run(code));
    }

    Scope scope() {
      return scope;
    }

    boolean belongsTo(Fibers fibers) {
      return Fibers.this == fibers;
    }

    /** Hands the baton over, until somebody wakes this fiber. */
    void park() {
      back.release();
      baton.acquireUninterruptibly();
      throwIfAbandoned();
    }

    void throwIfAbandoned() {
      if (isCancelled || isOver || scope.isAbandoned()) {
        throw new TurnSignal.Abandoned();
      }
    }

    private void resume() {
      if (isStarted) {
        baton.release();
      } else {
        isStarted = true;
        thread.start();
      }
    }

    private void run(Runnable code) {
      CURRENT.set(this);
      try {
        throwIfAbandoned();
        code.run();
      } catch (TurnSignal.Abandoned signal) {
        return;
      } finally {
        isDone = true;
        back.release();
      }
    }
  }

  /** The fiber of this thread; null for every other thread. */
  static Fiber current() {
    return CURRENT.get();
  }

  Fiber begin(Scope scope, Runnable code) {
    Fiber fiber = new Fiber(scope, code);
    all.add(fiber);
    ready.add(fiber);
    return fiber;
  }

  void wake(Fiber fiber) {
    if (!fiber.isDone && !ready.contains(fiber)) {
      ready.add(fiber);
    }
  }

  /** Ends the branches that have lost a race. */
  void endAbandoned() {
    for (Fiber fiber : all) {
      if (!fiber.isDone && !fiber.isCancelled && fiber.scope.isAbandoned()) {
        fiber.isCancelled = true;
        wake(fiber);
      }
    }
  }

  boolean hasWork() {
    return !ready.isEmpty();
  }

  /**
   * Runs the code until it only waits.
   *
   * @return false: the work must stop, and the code does not
   */
  boolean runReady() {
    for (Fiber fiber = ready.poll(); fiber != null; fiber = ready.poll()) {
      if (!fiber.isDone && !runOne(fiber)) {
        return false;
      }
    }
    return true;
  }

  /** Ends the code that is left. */
  void discard() {
    isOver = true;
    for (Fiber fiber : all) {
      if (fiber.isStarted && !fiber.isDone) {
        fiber.resume();
        awaitBack(END_MS_MAX);
      }
    }
  }

  private boolean runOne(Fiber fiber) {
    Runnable interrupt = fiber.thread::interrupt;
    stopped.onSet(interrupt);
    try {
      fiber.resume();
      boolean isBack = awaitBack(SLOW_MS);
      if (!isBack) {
        logger.log(
            Level.WARNING,
            "the code of the function runs for more than 10 s without a call of its context; "
                + "put slow work into a step");
      }
      while (!isBack && !stopped.isSet()) {
        isBack = awaitBack(END_MS_MAX);
      }
      return isBack || awaitBack(END_MS_MAX);
    } finally {
      stopped.forget(interrupt);
    }
  }

  private boolean awaitBack(long milliseconds) {
    try {
      return back.tryAcquire(milliseconds, TimeUnit.MILLISECONDS);
    } catch (InterruptedException error) {
      throw new IllegalStateException("a thread of the worker was interrupted", error);
    }
  }
}
