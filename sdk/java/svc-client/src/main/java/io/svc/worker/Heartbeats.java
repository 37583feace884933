package io.svc.worker;

import io.svc.internal.Address;
import io.svc.internal.request.Answer;
import io.svc.internal.request.Api;
import io.svc.internal.request.NoAnswer;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Renews the leases of all items under way, on a platform thread and connections of its own: code
 * that keeps all virtual threads busy so loses no lease.
 *
 * <p>The first heartbeat of an item follows after a whole interval, so short work needs none.
 * Heartbeats that are due together travel in one request. Without an answer nothing is known and
 * the work continues: the runtime takes a lease back only when it runs again, and then says so.
 */
final class Heartbeats implements AutoCloseable {
  private static final long TOGETHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int REPORTS_MAX = 100;
  private final Api api;
  private final String workerId;
  private final System.Logger logger;
  private final Set<Kept> all = new LinkedHashSet<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean isClosed;
  private Thread thread;

  /** One lease. The callbacks run on the thread of the heartbeats. */
  static final class Kept {
    private final WorkItem item;
    private final Consumer<String> onLost;
    private final Runnable onCancel;
    private long due;
    private int failures;

    private Kept(WorkItem item, Consumer<String> onLost, Runnable onCancel) {
      this.item = item;
      this.onLost = onLost;
      this.onCancel = onCancel;
      this.due = System.nanoTime() + intervalNanos();
    }

    private long intervalNanos() {
      return TimeUnit.MILLISECONDS.toNanos(item.heartbeatMs());
    }
  }

  Heartbeats(Address address, String workerId, System.Logger logger) {
    this.api = new Api(address);
    this.workerId = workerId;
    this.logger = logger;
  }

  Kept keep(WorkItem item, Consumer<String> onLost, Runnable onCancel) {
    Kept kept = new Kept(item, onLost, onCancel);
    lock.lock();
    try {
      all.add(kept);
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("svc-heartbeats").start(this::run);
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
    return kept;
  }

  void release(Kept kept) {
    lock.lock();
    try {
      all.remove(kept);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    api.close();
  }

  private void run() {
    for (List<Kept> batch = takeDue(); !batch.isEmpty(); batch = takeDue()) {
      renew(batch);
    }
  }

  /** Sleeps until heartbeats are due; empty once it is closed. */
  private List<Kept> takeDue() {
    lock.lock();
    try {
      while (!isClosed) {
        long now = System.nanoTime();
        List<Kept> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingLong(one -> one.due - now));
        long wait = sorted.isEmpty() ? Long.MAX_VALUE : sorted.getFirst().due - now;
        if (wait <= 0) {
          return sorted.stream()
              .filter(one -> one.due - now <= TOGETHER_NANOS)
              .limit(REPORTS_MAX)
              .toList();
        }
        awaitChange(wait);
      }
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  private void awaitChange(long nanos) {
    try {
      changed.awaitNanos(nanos);
    } catch (InterruptedException error) {
      throw new IllegalStateException("the thread of the heartbeats was interrupted", error);
    }
  }

  private void renew(List<Kept> batch) {
    List<Answer> results = send(batch);
    for (int at = 0; at < batch.size(); at++) {
      Kept one = batch.get(at);
      if (isKept(one)) {
        take(one, results == null ? null : results.get(at));
      }
    }
  }

  private boolean isKept(Kept one) {
    lock.lock();
    try {
      return all.contains(one);
    } finally {
      lock.unlock();
    }
  }

  private void take(Kept one, Answer answer) {
    long now = System.nanoTime();
    if (answer == null || Answer.isUnknown(answer.status())) {
      long pause = TimeUnit.MILLISECONDS.toNanos(NoAnswer.backOffMs(++one.failures));
      one.due = now + Math.min(pause, one.intervalNanos());
    } else if (answer.status() == 200) {
      one.failures = 0;
      one.due = now + one.intervalNanos();
      if (Boolean.TRUE.equals(answer.body().get("cancel_requested"))) {
        one.onCancel.run();
      }
    } else {
      release(one);
      one.onLost.accept(answer.reason());
    }
  }

  /** Null when nothing is known. The thread has to live on for the other leases. */
  private List<Answer> send(List<Kept> batch) {
    try {
      return together(batch);
    } catch (NoAnswer | RuntimeException error) {
      logger.log(Level.WARNING, "no heartbeat was answered, trying again: " + error.getMessage());
      return null;
    }
  }

  private List<Answer> together(List<Kept> batch) throws NoAnswer {
    List<Map<String, Object>> reports = batch.stream().map(one -> reportOf(one.item)).toList();
    long shortest = batch.stream().mapToLong(one -> one.item.heartbeatMs()).min().orElseThrow();
    Map<String, Object> body = Json.object("worker_id", workerId, "reports", reports);
    Answer answer = api.post("/work-items/report", body, Duration.ofMillis(shortest));
    if (answer.status() == 404) {
      // An older runtime has no endpoint for several calls.
      return batch.stream().map(one -> alone(one.item)).toList();
    }
    List<Answer> results = Reports.resultsIn(answer, batch.size());
    if (results == null) {
      throw new NoAnswer(answer.reason(), 0);
    }
    return results;
  }

  /** The answer to one heartbeat; one of an unknown outcome where there is none. */
  private Answer alone(WorkItem item) {
    Map<String, Object> body =
        Json.object("worker_id", workerId, "lease_fence", item.leaseFence());
    Duration within = Duration.ofMillis(item.heartbeatMs());
    try {
      return api.post("/work-items/" + item.id() + "/heartbeat", body, within);
    } catch (NoAnswer error) {
      return new Answer(503, Map.of());
    }
  }

  private static Map<String, Object> reportOf(WorkItem item) {
    return Json.object(
        "kind", "heartbeat", "work_item_id", item.id(), "lease_fence", item.leaseFence());
  }
}
