package io.svc.worker;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the items under way, and the places that claims without an answer may have filled. */
final class Places {
  private final int all;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int taken;
  private boolean isStopping;

  Places(int all) {
    this.all = all;
  }

  void take(int count) {
    add(count);
  }

  void free(int count) {
    add(-count);
  }

  /** Waits until a place is free, or the worker stops. */
  int awaitFree() {
    lock.lock();
    try {
      while (taken >= all && !isStopping) {
        changed.awaitUninterruptibly();
      }
      return all - taken;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no place is taken. */
  void awaitEmpty() {
    lock.lock();
    try {
      while (taken > 0) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The worker stops: nobody waits for a free place any more. */
  void stopWaiting() {
    lock.lock();
    try {
      isStopping = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return taken == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a place becomes free, none is taken, or the worker stops. */
  void awaitChange() {
    lock.lock();
    try {
      if (taken > 0 && !isStopping) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void add(int count) {
    lock.lock();
    try {
      taken += count;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
