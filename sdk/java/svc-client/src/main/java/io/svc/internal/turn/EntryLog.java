package io.svc.internal.turn;

import io.svc.functions.FunctionLimitException;
import io.svc.functions.NonDeterminismException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The journal as a turn sees it: recorded entries, and behind them the new ones in the order in
 * which they will be recorded. The code gets its results in this order, live and in a replay. That
 * makes the winner of a race, and every other order of events, the same in each turn.
 *
 * <p>Steps flush it from their threads; everything else is for the thread of the turn.
 */
final class EntryLog {
  private final Journal journal;
  private final List<Slot> slots = new ArrayList<>();
  private final Map<String, Slot> byIdentity = new HashMap<>();
  private final Set<String> asked = new HashSet<>();
  private final ReentrantLock flushing = new ReentrantLock();
  private boolean isClosed;
  private int cursor;
  private int givenEnd;
  private int recordedEnd;
  private Map<String, Object> exceeded;

  /** One entry, and what is known about it. */
  static final class Slot {
    final Map<String, Object> entry;

    /** Recorded before the code asked: by an earlier turn, or by the runtime. */
    final boolean isGiven;

    /** The code may see it before it is recorded. */
    final boolean isEager;

    /** Lost, it would come out the same. */
    final boolean isDerived;

    boolean isRecorded;
    boolean isAsked;

    Slot(Map<String, Object> entry, boolean isGiven, boolean isEager, boolean isDerived) {
      this.entry = entry;
      this.isGiven = isGiven;
      this.isEager = isEager;
      this.isDerived = isDerived;
      this.isRecorded = isGiven;
      this.isAsked = !isGiven;
    }
  }

  EntryLog(Journal journal) {
    this.journal = journal;
    give(journal.entries());
  }

  /** Whether the code still goes over what earlier turns did. */
  synchronized boolean isReplaying() {
    pass();
    return cursor < givenEnd;
  }

  /** The entry that comes next; null when the code has seen all. */
  synchronized Slot next() {
    pass();
    return cursor < slots.size() ? slots.get(cursor) : null;
  }

  synchronized void takeNext() {
    cursor++;
  }

  synchronized boolean contains(String identity) {
    return byIdentity.containsKey(identity);
  }

  synchronized List<Map<String, Object>> unrecorded() {
    return unrecorded(Integer.MAX_VALUE);
  }

  /** The first given entry that the code never asked for; null: it asked for all. */
  synchronized Map<String, Object> neverAsked() {
    return slots.stream()
        .filter(slot -> slot.isGiven && !slot.isAsked && !Entries.isLeftOut(slot.entry))
        .map(slot -> slot.entry)
        .findFirst()
        .orElse(null);
  }

  /** The identities of the given entries of a kind, in their order. */
  synchronized List<String> givenOf(String kind) {
    return slots.stream()
        .filter(slot -> slot.isGiven && kind.equals(Entries.kind(slot.entry)))
        .map(slot -> Entries.identity(slot.entry))
        .toList();
  }

  /** The budget that usage exceeded in this turn; null: none. */
  synchronized Map<String, Object> exceeded() {
    return exceeded;
  }

  /** What is recorded under an identity, or null. Throws where it is of another kind. */
  synchronized Map<String, Object> ask(String identity, String kind) {
    asked.add(identity);
    Slot slot = byIdentity.get(identity);
    if (slot == null) {
      return null;
    }
    if (!Entries.kind(slot.entry).equals(kind)) {
      throw divergence(Entries.quote(slot.entry), Entries.quote(kind, identity));
    }
    slot.isAsked = true;
    return slot.entry;
  }

  static NonDeterminismException divergence(String recorded, String asked) {
    return new NonDeterminismException(
        "The journal has "
            + recorded
            + ", and the code asks for "
            + asked
            + ". Run the code that recorded the journal, or branch with ctx.version().",
        recorded,
        asked);
  }

  synchronized void append(Map<String, Object> entry, boolean isEager, boolean isDerived) {
    if (slots.size() >= Journal.ENTRIES_MAX) {
      throw new FunctionLimitException(
          "a visit of a function has at most "
              + Journal.ENTRIES_MAX
              + " entries; call ctx.continueAsNew() before it has so many");
    }
    add(new Slot(entry, false, isEager, isDerived));
  }

  /** Waits for records that are under way, and makes no more. The rest is for another request. */
  void close() {
    flushing.lock();
    isClosed = true;
    flushing.unlock();
  }

  /** Records all new entries. */
  void flush() {
    flushing.lock();
    try {
      if (isClosed) {
        return;
      }
      for (var batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
        Map<String, Object> found = journal.append(batch);
        markRecorded(batch.size(), found);
      }
    } finally {
      flushing.unlock();
    }
  }

  /** Records what the code has seen, unless it would come out the same after a crash. */
  void flushSeen() {
    if (hasMoreThanDerived()) {
      flush();
    }
  }

  /** Records the rest and the waits in one commit; false: the item is suspended. */
  boolean suspend(List<Map<String, Object>> waits) {
    flushing.lock();
    try {
      while (unrecorded().size() > Journal.ENTRIES_AT_ONCE_MAX) {
        flush();
      }
      List<Map<String, Object>> rest = unrecorded();
      List<Map<String, Object>> satisfied = journal.suspend(rest, waits);
      markRecorded(rest.size(), null);
      if (satisfied == null) {
        return false;
      }
      give(satisfied);
      return true;
    } finally {
      flushing.unlock();
    }
  }

  private synchronized List<Map<String, Object>> nextBatch() {
    return unrecorded(Journal.ENTRIES_AT_ONCE_MAX);
  }

  private List<Map<String, Object>> unrecorded(int most) {
    return slots.stream().skip(recordedEnd).limit(most).map(slot -> slot.entry).toList();
  }

  private synchronized boolean hasMoreThanDerived() {
    return slots.stream().skip(recordedEnd).anyMatch(slot -> !slot.isDerived);
  }

  private synchronized void markRecorded(int count, Map<String, Object> found) {
    slots.subList(recordedEnd, recordedEnd + count).forEach(slot -> slot.isRecorded = true);
    recordedEnd += count;
    exceeded = found != null ? found : exceeded;
  }

  private synchronized void give(List<Map<String, Object>> entries) {
    for (Map<String, Object> entry : entries) {
      Slot slot = new Slot(entry, true, false, false);
      slot.isAsked = asked.contains(Entries.identity(entry));
      add(slot);
    }
    recordedEnd = slots.size();
    givenEnd = slots.size();
  }

  private void add(Slot slot) {
    slots.add(slot);
    byIdentity.put(Entries.identity(slot.entry), slot);
  }

  /** Passes what the call itself has answered. */
  private void pass() {
    while (cursor < slots.size()) {
      Slot slot = slots.get(cursor);
      if (!slot.isAsked || !Entries.isAnsweredAtOnce(slot.entry)) {
        return;
      }
      cursor++;
    }
  }
}
