package io.svc.internal;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A signal that something must stop. It is set once, with a reason. */
public final class Signal {
  private final List<Signal> parents;
  private final Runnable follow = this::follow;
  private final Set<Runnable> listeners = new LinkedHashSet<>();
  private final CountDownLatch latch = new CountDownLatch(1);
  private volatile RuntimeException reason;

  public Signal(Signal... parents) {
    this.parents = List.of(parents);
    for (Signal parent : parents) {
      parent.onSet(follow);
    }
  }

  public boolean isSet() {
    return reason != null;
  }

  /** Null: it is not set. */
  public RuntimeException reason() {
    return reason;
  }

  public void throwIfSet() {
    if (reason != null) {
      throw reason;
    }
  }

  public void set(RuntimeException why) {
    List<Runnable> told;
    synchronized (this) {
      if (reason != null) {
        return;
      }
      reason = why;
      told = List.copyOf(listeners);
    }
    latch.countDown();
    told.forEach(Runnable::run);
  }

  /** Calls back when it is set; at once if it is already. */
  public void onSet(Runnable listener) {
    synchronized (this) {
      if (reason == null) {
        listeners.add(listener);
        return;
      }
    }
    listener.run();
  }

  public synchronized void forget(Runnable listener) {
    listeners.remove(listener);
  }

  /** Leaves its parents, which live longer. */
  public void detach() {
    parents.forEach(parent -> parent.forget(follow));
  }

  /** True once it is set, false after the time. */
  public boolean await(long milliseconds) {
    try {
      return latch.await(milliseconds, TimeUnit.MILLISECONDS);
    } catch (InterruptedException error) {
      throw new IllegalStateException("a thread of the worker was interrupted", error);
    }
  }

  private void follow() {
    parents.stream().filter(Signal::isSet).findFirst().ifPresent(one -> set(one.reason));
  }
}
