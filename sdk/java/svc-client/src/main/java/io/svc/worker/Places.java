package io.svc.worker;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the items under way, and the places that claims without an answer may have filled. */
final class Places {
  private final int all;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int taken;

  Places(int all) {
    this.all = all;
  }

  void take(int count) {
    add(count);
  }

  void free(int count) {
    add(-count);
  }

  /** Waits until a place is free. */
  int awaitFree() {
    return await(all - 1);
  }

  /** Waits until no place is taken. */
  void awaitEmpty() {
    await(0);
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return taken == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a place becomes free, or none is taken. */
  void awaitChange() {
    lock.lock();
    try {
      if (taken > 0) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private int await(int takenMax) {
    lock.lock();
    try {
      while (taken > takenMax) {
        changed.awaitUninterruptibly();
      }
      return all - taken;
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
