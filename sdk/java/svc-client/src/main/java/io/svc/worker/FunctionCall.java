package io.svc.worker;

import io.svc.errors.LeaseLost;
import io.svc.functions.DurableFunction;
import io.svc.internal.Described;
import io.svc.internal.ItemLogger;
import io.svc.internal.turn.ItemFacts;
import io.svc.internal.turn.Journal;
import io.svc.internal.turn.Outcome;
import io.svc.internal.turn.TurnRun;
import io.svc.internal.turn.TurnTools;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs a turn of a durable function for an item, and hands in what it came to. */
record FunctionCall(DurableFunction<?, ?> function, Held held, Lease lease, ItemLogger logger) {
  Ending run() {
    long began = System.nanoTime();
    try {
      HttpJournal journal = HttpJournal.open(held);
      WorkItem item = held.item();
      TurnTools tools = new TurnTools(item.key(), lease.stopped(), logger);
      Outcome outcome =
          new TurnRun(function, journal, facts(item), tools).run(item.input(), item.isRollback());
      return handIn(outcome, journal, (System.nanoTime() - began) / 1_000_000);
    } catch (LeaseLost error) {
      return Ending.ABANDONED;
    } catch (JournalRefused error) {
      Failure failure = Failure.of(error).with(error.isFinal(), Map.of());
      held.tellRefusal(failure);
      return held.fail(failure);
    }
  }

  private static ItemFacts facts(WorkItem item) {
    return new ItemFacts(
        item.executionId(),
        item.nodeId(),
        item.turn(),
        item.attempt(),
        item.key(),
        Optional.ofNullable(item.traceparent()));
  }

  private Ending handIn(Outcome outcome, HttpJournal journal, long durationMs) {
    return switch (outcome.kind()) {
      case SUSPENDED -> Ending.SUSPENDED;
      case STOPPED -> {
        recordBut(0, journal, outcome.entries());
        yield held.release();
      }
      case CONTINUED -> held.continueAsNew(outcome.output(), ride(journal, outcome));
      case COMPLETED -> held.completeTurn(outcome.output(), durationMs, ride(journal, outcome));
      case FAILED -> fail(outcome, ride(journal, outcome));
    };
  }

  private Ending fail(Outcome outcome, Map<String, Object> riding) {
    Described error = Described.ofFunction(outcome.error());
    logger.log(Level.WARNING, "the function failed: " + error.message(), outcome.error());
    Failure failure = Failure.of(outcome.error(), error).with(outcome.isFinal(), riding);
    return held.fail(failure.withUsage(outcome.usage()));
  }

  /** One request takes 100 entries; the rest goes before it. */
  private static Map<String, Object> ride(HttpJournal journal, Outcome outcome) {
    return journal.riding(recordBut(Journal.ENTRIES_AT_ONCE_MAX, journal, outcome.entries()));
  }

  /** Records entries until at most so many are left, and gives those. */
  private static List<Map<String, Object>> recordBut(
      int left, HttpJournal journal, List<Map<String, Object>> entries) {
    List<Map<String, Object>> rest = entries;
    while (rest.size() > left) {
      int count = Math.min(Journal.ENTRIES_AT_ONCE_MAX, rest.size());
      journal.append(rest.subList(0, count));
      rest = rest.subList(count, rest.size());
    }
    return rest;
  }
}
