package io.svc.spring.runtime;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The circuit breaker between calls and the runtime.
 *
 * <p>Up: requests are made. The first request that fails opens an outage: one warning, and from then
 * on no call waits for the runtime. A thread of the link registers the workflow again, after pauses
 * that grow, and what works for it ends the outage. The workflow is registered before the first
 * execution starts, and after each outage, because the runtime may have come back empty.
 */
public final class RuntimeLink implements AutoCloseable {
  private static final Log log = LogFactory.getLog(RuntimeLink.class);
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(30);
  private final RuntimeApi runtime;
  private final ModelCallWorkflow workflow;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock registering = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong undurable = new AtomicLong();
  private String outage;
  private boolean isClosed;
  private volatile boolean isRegistered;

  /**
   * A link that makes no request yet.
   *
   * @param runtime null: no address is configured, so the runtime is away for ever
   * @param workflow what is registered
   */
  public RuntimeLink(RuntimeApi runtime, ModelCallWorkflow workflow) {
    this.runtime = runtime;
    this.workflow = workflow;
  }

  /** Registers the workflow in the background, so that no call has to find out about an outage. */
  public void open() {
    if (runtime == null) {
      lock.lock();
      try {
        outage = "spring.svc.runtime-url is not set";
      } finally {
        lock.unlock();
      }
      log.warn("Model calls run without durability: spring.svc.runtime-url is not set.");
      return;
    }
    Thread.ofVirtual().name("svc-register").start(this::registerOrReport);
  }

  /**
   * The runtime, with the workflow registered.
   *
   * @return the runtime
   * @throws RuntimeAwayException at once during an outage, else when the registration fails
   */
  public RuntimeApi require() {
    requireUp();
    register();
    return runtime;
  }

  /**
   * The runtime, for requests that need no workflow.
   *
   * @return the runtime
   * @throws RuntimeAwayException at once during an outage
   */
  public RuntimeApi requireUp() {
    String away = outage();
    if (away != null) {
      throw new RuntimeAwayException(away, false, null);
    }
    return runtime;
  }

  /**
   * Asks the runtime who this application is, which needs the address, the token and the tenant.
   *
   * @throws RuntimeAwayException at once during an outage, else when there is no answer
   */
  public void check() {
    requireUp().ping();
  }

  /** Begins an outage, unless there is one. */
  public void report(RuntimeAwayException error) {
    // A request that was interrupted says nothing about the runtime.
    if (Thread.currentThread().isInterrupted()) {
      return;
    }
    lock.lock();
    try {
      if (outage != null || isClosed) {
        return;
      }
      outage = error.getMessage();
      isRegistered = false;
      undurable.set(0);
    } finally {
      lock.unlock();
    }
    log.warn("The svc runtime is away; model calls go on without durability: " + error.getMessage());
    Thread.ofVirtual().name("svc-probe").start(this::probe);
  }

  /** Makes the next request register the workflow again: the runtime does not know it. */
  public void forgetRegistration() {
    isRegistered = false;
  }

  /** Counts a call that went on without durability. */
  public void countUndurable() {
    undurable.incrementAndGet();
  }

  /**
   * Why the runtime is away.
   *
   * @return null if it is not
   */
  public String outage() {
    lock.lock();
    try {
      return outage;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Calls without durability since the outage began.
   *
   * @return a count
   */
  public long undurableCalls() {
    return undurable.get();
  }

  /**
   * Waits for the end of an outage.
   *
   * @param most the longest wait
   * @throws InterruptedException if the thread is interrupted
   */
  public void awaitUp(Duration most) throws InterruptedException {
    long left = most.toNanos();
    lock.lockInterruptibly();
    try {
      while (outage != null && !isClosed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the probing. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void registerOrReport() {
    try {
      register();
    } catch (RuntimeAwayException error) {
      report(error);
    } catch (RuntimeRefusedException error) {
      log.warn("The svc runtime refuses the workflow of model calls: " + error.getMessage());
    }
  }

  private void register() {
    if (isRegistered) {
      return;
    }
    registering.lock();
    try {
      requireUp();
      if (!isRegistered) {
        runtime.register(workflow);
        isRegistered = true;
      }
    } catch (RuntimeAwayException error) {
      // Reported under the lock: the calls that wait for it must not try one after the other.
      report(error);
      throw error;
    } finally {
      registering.unlock();
    }
  }

  private void probe() {
    Duration pause = PAUSE_MIN;
    while (sleep(pause)) {
      try {
        runtime.register(workflow);
        end();
        return;
      } catch (RuntimeAwayException | RuntimeRefusedException error) {
        log.debug("The svc runtime is still away: " + error.getMessage());
      }
      Duration next = pause.multipliedBy(2);
      pause = next.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : next;
    }
  }

  /** False: the link is closed. */
  private boolean sleep(Duration pause) {
    long left = pause.toNanos();
    lock.lock();
    try {
      while (!isClosed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !isClosed;
    } catch (InterruptedException error) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      outage = null;
      isRegistered = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    log.info("The svc runtime is back. Calls without durability: " + undurable.get() + ".");
  }
}
