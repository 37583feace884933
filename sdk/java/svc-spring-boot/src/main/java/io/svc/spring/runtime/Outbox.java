package io.svc.spring.runtime;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What the runtime is told beside the calls: audit entries, and how calls ended.
 *
 * <p>Entries of one execution are delivered in order; several executions are served beside each
 * other. An outage keeps entries until it is over. Audit entries have a bound, beyond which new ones
 * are dropped with a warning. The ends of calls have none: there are no more than calls that had
 * begun before the outage, and a dropped one would leave an execution running. An entry that the
 * runtime refuses is dropped with a warning. Closing waits for the entries for a bounded time.
 */
public final class Outbox implements AutoCloseable {
  private static final Log log = LogFactory.getLog(Outbox.class);
  private static final int LANES = 4;
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Waiting WAKE = new Waiting((runtime, again) -> {}, false);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final long WARN_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  /** One delivery. */
  @FunctionalInterface
  public interface Entry {
    /**
     * Makes the requests.
     *
     * @param runtime is up
     * @param again whether an earlier attempt may have succeeded
     */
    void deliver(RuntimeApi runtime, boolean again);
  }

  private final RuntimeLink link;
  private final int droppableMax;
  private final Duration drainMax;
  private final List<Lane> lanes;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger droppable = new AtomicInteger();
  private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARN_EVERY_NANOS);
  private volatile long deadline = Long.MAX_VALUE;
  private volatile boolean isClosing;

  /**
   * An outbox whose threads run.
   *
   * @param link tells when the runtime is up
   * @param droppableMax how many audit entries may wait
   * @param drainMax how long closing waits
   */
  public Outbox(RuntimeLink link, int droppableMax, Duration drainMax) {
    this.link = link;
    this.droppableMax = droppableMax;
    this.drainMax = drainMax;
    lanes = IntStream.range(0, LANES).mapToObj(Lane::new).toList();
  }

  /** Adds an entry that must arrive. */
  public void add(String executionId, Entry entry) {
    pending.incrementAndGet();
    laneOf(executionId).queue.add(new Waiting(entry, false));
  }

  /**
   * Adds an entry that may be dropped while too many wait.
   *
   * @return whether it was added
   */
  public boolean addOrDrop(String executionId, Entry entry) {
    if (droppable.incrementAndGet() > droppableMax) {
      droppable.decrementAndGet();
      warnOfDrop();
      return false;
    }
    pending.incrementAndGet();
    laneOf(executionId).queue.add(new Waiting(entry, true));
    return true;
  }

  /**
   * How many entries wait.
   *
   * @return a count
   */
  public int pending() {
    return pending.get();
  }

  @Override
  public void close() {
    deadline = System.nanoTime() + drainMax.toNanos();
    isClosing = true;
    for (Lane lane : lanes) {
      lane.queue.add(WAKE);
    }
    for (Lane lane : lanes) {
      lane.join();
    }
    int left = pending.get();
    if (left > 0) {
      log.warn("The application ends before the svc runtime has taken " + left + " entries.");
    }
  }

  private Lane laneOf(String executionId) {
    return lanes.get(Math.floorMod(executionId.hashCode(), LANES));
  }

  private void warnOfDrop() {
    long now = System.nanoTime();
    long last = lastWarning.get();
    if (now - last >= WARN_EVERY_NANOS && lastWarning.compareAndSet(last, now)) {
      log.warn("Audit entries are dropped: " + droppableMax + " wait for the svc runtime.");
    }
  }

  private boolean isOver() {
    return isClosing && System.nanoTime() - deadline >= 0;
  }

  private record Waiting(Entry entry, boolean isDroppable) {}

  /** Delivers the entries of its executions, one after the other. */
  private final class Lane {
    private final LinkedBlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
    private final Thread thread;

    Lane(int number) {
      thread = Thread.ofVirtual().name("svc-outbox-" + number).start(this::run);
    }

    void join() {
      try {
        long leftMs = (deadline - System.nanoTime()) / 1_000_000;
        thread.join(Duration.ofMillis(Math.max(1, leftMs)));
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
      thread.interrupt();
    }

    private void run() {
      try {
        for (Waiting next = queue.take(); next != WAKE; next = queue.take()) {
          deliver(next);
        }
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    }

    private void deliver(Waiting waiting) throws InterruptedException {
      boolean again = false;
      while (!isOver()) {
        try {
          waiting.entry.deliver(link.requireUp(), again);
          settle(waiting);
          return;
        } catch (RuntimeAwayException error) {
          again |= error.mayHaveActed();
          link.report(error);
          link.awaitUp(RETRY);
        } catch (RuntimeRefusedException error) {
          if (error.status() != TOO_MANY_REQUESTS) {
            drop(waiting, error);
            return;
          }
          Thread.sleep(RETRY);
        } catch (RuntimeException error) {
          drop(waiting, error);
          return;
        }
      }
    }

    private void drop(Waiting waiting, RuntimeException error) {
      log.warn("The svc runtime refuses an entry, which is dropped: " + error.getMessage());
      settle(waiting);
    }

    private void settle(Waiting waiting) {
      pending.decrementAndGet();
      if (waiting.isDroppable) {
        droppable.decrementAndGet();
      }
    }
  }
}
