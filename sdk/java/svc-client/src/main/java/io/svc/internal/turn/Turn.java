package io.svc.internal.turn;

import io.svc.errors.ExecutionCancelled;
import io.svc.errors.LeaseLost;
import io.svc.functions.BudgetExceededException;
import io.svc.functions.ContinueAsNewException;
import io.svc.functions.FunctionLimitException;
import io.svc.functions.NonDeterminismException;
import io.svc.internal.Signal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One turn of a function.
 *
 * <p>The code asks for entries. A loop gives them to it, one at a time, in the order of the
 * journal, and lets the code run after each until it only waits. When all recorded entries are
 * given, it starts the steps that were asked for. When no step runs and the code only waits, it
 * suspends.
 *
 * <p>The code runs on threads of its own ({@link Fibers}), and only while this loop waits for it:
 * so both may touch the state of the turn. Steps run meanwhile; their outcomes wait in {@code
 * outcomes}. A recorded entry that the code has not asked for at its place shows that the code has
 * changed, before anything new runs.
 */
final class Turn {
  private final EntryLog log;
  private final Fibers fibers;
  private final Signal stopped;
  private final boolean isStartingWork;
  private final Map<String, Ask> asks = new LinkedHashMap<>();
  private final List<Work> work = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private final Queue<Runnable> outcomes = new ConcurrentLinkedQueue<>();
  private final AtomicReference<RuntimeException> broken = new AtomicReference<>();
  private final Semaphore news = new Semaphore(0);
  private volatile boolean isOver;
  private End end;
  private boolean isYielding;
  private boolean isFlushDue;
  private boolean hasContinued;
  private boolean isUsedAfter;

  /** A turn that starts no work only replays, as a rollback does. */
  Turn(Journal journal, TurnTools tools, boolean isStartingWork) {
    this.log = new EntryLog(journal);
    this.stopped = tools.stopped();
    this.fibers = new Fibers(stopped, tools.logger());
    this.isStartingWork = isStartingWork;
  }

  EntryLog log() {
    return log;
  }

  Fibers fibers() {
    return fibers;
  }

  boolean isOver() {
    return isOver;
  }

  // What the context calls, while the code runs.

  /** Asks for an entry; it may never come, when the turn ends first. */
  void ask(Ask ask) {
    if (find(ask.identity(), ask.kind()) != null || end == null) {
      asks.put(ask.identity(), ask);
    }
  }

  /** An entry that the call itself answers; null when nothing is recorded. */
  Map<String, Object> find(String identity, String kind) {
    try {
      return log.ask(identity, kind);
    } catch (NonDeterminismException error) {
      end(End.threw(error));
      return null;
    }
  }

  /** Appends what the code may see at once; it is recorded with the next that must be. */
  void note(Map<String, Object> entry, boolean isDerived) {
    append(entry, true, isDerived);
  }

  void addWork(Work one) {
    work.add(one);
  }

  /** The code uses its context. */
  void noteUse() {
    if (isOver) {
      throw new TurnSignal.Abandoned();
    }
    isUsedAfter = hasContinued;
  }

  void noteContinuation(Scope scope) {
    // Nobody awaits a branch that has lost its race.
    hasContinued = hasContinued || !scope.isAbandoned();
  }

  /** Runs the code of the function, which ends the turn when it ends. */
  void begin(Scope root, Callable<Map<String, Object>> code) {
    fibers.begin(root, () -> follow(code));
  }

  /** Ends the turn, unless it has ended. */
  void end(End how) {
    end = end == null ? how : end;
  }

  // What the steps call, on the thread of the turn.

  /** Appends and records; the code sees the entry when that is done. */
  void record(Map<String, Object> entry) {
    isFlushDue = append(entry, false, false) || isFlushDue;
  }

  /** A budget allows no further step: the asking code gets the error, or a person decides. */
  void block(String identity) {
    Map<String, Object> exceeded = log.exceeded();
    if ("pause".equals(exceeded.get("action"))) {
      isYielding = true;
      return;
    }
    Ask ask = asks.remove(identity);
    if (ask != null) {
      ask.reject().accept(new BudgetExceededException((String) exceeded.get("message")));
    }
  }

  /** Runs until the turn ends. Throws what the journal threw, as {@code LeaseLost}. */
  End run() {
    Runnable tell = news::release;
    stopped.onSet(tell);
    try {
      while (true) {
        news.drainPermits();
        runCode();
        throwIfBroken();
        if (isUsedAfter) {
          end(caught());
        }
        if (end != null) {
          return finish(end);
        }
        if (!step()) {
          news.acquireUninterruptibly();
        }
      }
    } finally {
      isOver = true;
      stopped.forget(tell);
      fibers.discard();
    }
  }

  private void follow(Callable<Map<String, Object>> code) {
    End how;
    try {
      Map<String, Object> output = code.call();
      how = hasContinued ? caught() : End.returned(output);
    } catch (TurnSignal.Continued signal) {
      how = End.continued(signal.input());
    } catch (TurnSignal.Abandoned signal) {
      throw signal;
    } catch (Throwable error) {
      how = judge(error);
    }
    end(how);
  }

  /** Code that is interrupted because the work must stop has not failed. */
  private End judge(Throwable error) {
    if (stopped.isSet()) {
      return End.of(End.Kind.STOPPED);
    }
    return hasContinued ? caught() : End.threw(error);
  }

  private void runCode() {
    takeOutcomes();
    if (fibers.hasWork() && !fibers.runReady()) {
      isOver = true;
      end(End.of(End.Kind.STOPPED));
    }
  }

  private void takeOutcomes() {
    for (Runnable next = outcomes.poll(); next != null; next = outcomes.poll()) {
      next.run();
    }
  }

  /** Does the next thing; false when there is nothing to do before news. */
  private boolean step() {
    flushIfDue();
    if (giveNext() || meetStop() || seekDivergence()) {
      return true;
    }
    if (!isStartingWork && !log.isReplaying()) {
      end(End.of(End.Kind.REPLAYED));
      return true;
    }
    return startWork() || suspend();
  }

  private End finish(End how) {
    // A rollback has to know of the steps under way, and the next visit cannot run them again.
    if (how.kind() == End.Kind.THREW || how.kind() == End.Kind.CONTINUED) {
      awaitRunning(true);
    }
    isOver = true;
    log.close();
    // A step that is cut off runs again in another turn of this visit.
    boolean isCutOff = how.kind() == End.Kind.CONTINUED && running.get() > 0;
    return isCutOff ? End.of(End.Kind.STOPPED) : how;
  }

  private void awaitRunning(boolean isUntilStopped) {
    while (running.get() > 0 && !(isUntilStopped && stopped.isSet())) {
      news.acquireUninterruptibly();
    }
    takeOutcomes();
    throwIfBroken();
  }

  private boolean append(Map<String, Object> entry, boolean isEager, boolean isDerived) {
    if (isOver) {
      return false;
    }
    try {
      log.append(entry, isEager, isDerived);
      return true;
    } catch (FunctionLimitException error) {
      end(End.threw(error));
      return false;
    }
  }

  /** The next entry in order, if the code asked for it and may see it. */
  private boolean giveNext() {
    EntryLog.Slot slot = log.next();
    if (slot == null || !(slot.isRecorded || slot.isEager)) {
      return false;
    }
    Ask ask = asks.remove(Entries.identity(slot.entry));
    if (ask == null) {
      return false;
    }
    log.takeNext();
    if (slot.entry.get("error") != null) {
      ask.reject().accept(Entries.errorOf(slot.entry));
    } else {
      ask.deliver().accept(slot.entry);
    }
    return true;
  }

  /** Cancelled: steps under way end, and are recorded. Lost or past the deadline: at once. */
  private boolean meetStop() {
    RuntimeException reason = stopped.reason();
    if (reason == null) {
      return false;
    }
    if (reason instanceof LeaseLost) {
      throw reason;
    }
    end(End.of(End.Kind.STOPPED));
    if (reason instanceof ExecutionCancelled) {
      awaitRunning(false);
    }
    return true;
  }

  /** The code only waits, and has not asked for the next recorded entry. */
  private boolean seekDivergence() {
    EntryLog.Slot slot = log.next();
    if (slot == null || !slot.isGiven || asks.containsKey(Entries.identity(slot.entry))) {
      return false;
    }
    if (Entries.isLeftOut(slot.entry)) {
      log.takeNext();
      return true;
    }
    String asked =
        asks.values().stream()
            .findFirst()
            .map(other -> Entries.quote(other.kind(), other.identity()))
            .orElse("something else");
    end(End.threw(EntryLog.divergence(Entries.quote(slot.entry), asked)));
    return true;
  }

  private boolean startWork() {
    if (log.isReplaying() || !isStartingWork) {
      return false;
    }
    List<Work> due = work.stream().filter(one -> !one.scope().isAbandoned()).toList();
    work.clear();
    for (Work one : due) {
      running.incrementAndGet();
      Thread.ofVirtual().name("svc-work").start(() -> runWork(one));
    }
    return !due.isEmpty();
  }

  private void runWork(Work one) {
    try {
      outcomes.add(one.run());
    } catch (RuntimeException error) {
      broken.compareAndSet(null, error);
    } catch (Error error) {
      broken.compareAndSet(null, new IllegalStateException(error));
    } finally {
      running.decrementAndGet();
      news.release();
    }
  }

  private boolean suspend() {
    // A step that has ended counts as running until its outcome is there.
    if (running.get() > 0 || !outcomes.isEmpty() || log.next() != null) {
      return false;
    }
    List<Map<String, Object>> waits =
        asks.values().stream()
            .filter(one -> !one.scope().isAbandoned() && one.open() != null)
            .map(one -> one.open().get())
            .toList();
    if (waits.isEmpty() && !isYielding) {
      return seekDeadlock();
    }
    if (waits.size() > Journal.WAITS_MAX) {
      String message =
          "a function waits for at most " + Journal.WAITS_MAX + " things at once: " + waits.size();
      end(End.threw(new FunctionLimitException(message)));
      return true;
    }
    if (!log.suspend(isYielding ? List.of() : waits)) {
      end(End.of(End.Kind.SUSPENDED));
    }
    return true;
  }

  private boolean seekDeadlock() {
    if (!asks.isEmpty() || !work.isEmpty()) {
      return false;
    }
    String message =
        "the function waits for something that no call of its context gives, so it never ends";
    end(End.threw(new IllegalStateException(message)));
    return true;
  }

  private void flushIfDue() {
    if (!isFlushDue) {
      return;
    }
    isFlushDue = false;
    Thread.ofVirtual().name("svc-flush").start(this::flush);
  }

  private void flush() {
    try {
      log.flush();
    } catch (RuntimeException error) {
      broken.compareAndSet(null, error);
    } finally {
      news.release();
    }
  }

  private void throwIfBroken() {
    if (broken.get() != null) {
      throw broken.get();
    }
  }

  private static End caught() {
    return End.threw(
        new ContinueAsNewException(
            "The code caught the signal of ctx.continueAsNew(), so the function did not end there. "
                + "Call it outside of blocks that catch Throwable, or throw the signal again."));
  }
}
