package io.svc.worker;

import io.svc.errors.ExecutionCancelled;
import io.svc.errors.LeaseLost;
import io.svc.internal.Signal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The lease of one item: renewed until it is closed, and what stops the work on it. */
final class Lease implements AutoCloseable {
  /** A runtime has that long to answer about an item after the deadline of the worker. */
  private static final long GIVE_UP_MS = 3000;

  private final Heartbeats heartbeats;
  private final Signal deadline;
  private final Runnable startGivingUp = this::startGivingUp;
  private final Signal lost = new Signal();
  private final Signal cancelled = new Signal();
  private final Signal stopped;
  private final Heartbeats.Kept kept;

  Lease(Heartbeats heartbeats, WorkItem item, Signal deadline) {
    this.heartbeats = heartbeats;
    this.deadline = deadline;
    this.stopped = new Signal(lost, cancelled, deadline);
    // A rollback runs because of the cancel.
    Runnable onCancel =
        item.isRollback() ? () -> {} : () -> cancelled.set(new ExecutionCancelled());
    if (item.isCancelRequested()) {
      onCancel.run();
    }
    deadline.onSet(startGivingUp);
    kept = heartbeats.keep(item, why -> lost.set(new LeaseLost(why)), onCancel);
  }

  /** Requests about the item are of no use. */
  Signal lost() {
    return lost;
  }

  /** The work must stop, for any reason. */
  Signal stopped() {
    return stopped;
  }

  /** Ends the heartbeats. */
  @Override
  public void close() {
    heartbeats.release(kept);
    stopped.detach();
    deadline.forget(startGivingUp);
  }

  private void startGivingUp() {
    CompletableFuture.delayedExecutor(GIVE_UP_MS, TimeUnit.MILLISECONDS)
        .execute(() -> lost.set(new LeaseLost("the worker has stopped")));
  }
}
