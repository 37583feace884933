package io.svc.worker;

import io.svc.errors.LeaseLost;
import io.svc.internal.request.Answer;
import io.svc.internal.turn.Journal;
import io.svc.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The journal over HTTP.
 *
 * <p>Each request names the length that the journal has, so a request that arrived twice appends
 * once. A suspend whose answer is lost is looked up: if the lease is over, it arrived.
 */
final class HttpJournal implements Journal {
  private static final int PAGE_ENTRIES = 200;
  private final Held held;
  private final List<Map<String, Object>> entries;
  private long length;

  private HttpJournal(Held held, List<Map<String, Object>> entries) {
    this.held = held;
    this.entries = entries;
    this.length = entries.size();
  }

  /** Reads the whole journal of an item. Throws LeaseLost when the lease is over. */
  static HttpJournal open(Held held) {
    Map<String, Object> page = held.item().journal();
    List<Map<String, Object>> entries = new ArrayList<>(entriesIn(page));
    if (page.get("next") instanceof Number next) {
      List<Map<String, Object>> rest = readFrom(held, next.longValue());
      if (rest == null) {
        throw new LeaseLost("the lease ended while the journal was read");
      }
      entries.addAll(rest);
    }
    return new HttpJournal(held, entries);
  }

  @Override
  public List<Map<String, Object>> entries() {
    return entries;
  }

  /** Members of the request that ends the item. */
  Map<String, Object> riding(List<Map<String, Object>> added) {
    return Json.object("expected_length", length, "entries", added);
  }

  @Override
  public Map<String, Object> append(List<Map<String, Object>> added) {
    Answer answer = post("steps", riding(added));
    if (answer.status() != 200) {
      throw refuse(answer, added);
    }
    length += added.size();
    Object exceeded = answer.body().get("budget_exceeded");
    return exceeded == null ? null : Json.asObject(exceeded);
  }

  @Override
  public List<Map<String, Object>> suspend(
      List<Map<String, Object>> added, List<Map<String, Object>> waits) {
    Map<String, Object> members = riding(added);
    members.put("waits", waits);
    Answer answer = post("suspend", members);
    long recorded = length + added.size();
    if (answer.status() != 200) {
      if (answer.isAfterUnknown() && answer.isOver()) {
        return lookUp(recorded);
      }
      throw refuse(answer, added);
    }
    if (Boolean.TRUE.equals(answer.body().get("suspended"))) {
      return null;
    }
    List<Map<String, Object>> given = entriesIn(answer.body());
    length = recorded + given.size();
    return given;
  }

  private List<Map<String, Object>> lookUp(long recorded) {
    List<Map<String, Object>> rest = readFrom(held, recorded);
    if (rest == null) {
      return null;
    }
    if (rest.isEmpty()) {
      throw new JournalRefused("the journal did not grow", false);
    }
    length = recorded + rest.size();
    return rest;
  }

  private Answer post(String kind, Map<String, Object> members) {
    Answer answer = held.post(kind, members, false);
    if (answer == null) {
      throw new LeaseLost("the lease is lost");
    }
    return answer;
  }

  /** Records the entries that the runtime accepts, because they have happened. */
  private RuntimeException refuse(Answer answer, List<Map<String, Object>> added) {
    String each = answer.isInvalid() ? held.recordEach(riding(added)) : null;
    return each == null ? refused(answer) : new JournalRefused(each, true);
  }

  private RuntimeException refused(Answer answer) {
    if (answer.status() == 401 || answer.status() == 403) {
      return held.api().refusal(answer);
    }
    String message = "the journal does not take the entries: " + answer.reason();
    if (answer.isConflict()) {
      return new JournalRefused(message, false);
    }
    return answer.isOver() ? new LeaseLost(answer.reason()) : new JournalRefused(message, true);
  }

  /** Null when the lease is over. */
  private static List<Map<String, Object>> readFrom(Held held, long start) {
    List<Map<String, Object>> entries = new ArrayList<>();
    WorkItem item = held.item();
    String path = "/work-items/" + item.id() + "/journal?lease_fence=" + item.leaseFence();
    for (Object next = start; next instanceof Number from; ) {
      String query = "&from=" + from + "&limit=" + PAGE_ENTRIES;
      Answer answer = held.api().getUntilAnswered(path + query, held.lost());
      if (answer == null || answer.isOver()) {
        return null;
      }
      if (answer.status() != 200) {
        throw held.api().refusal(answer);
      }
      entries.addAll(entriesIn(answer.body()));
      next = answer.body().get("next");
    }
    return entries;
  }

  private static List<Map<String, Object>> entriesIn(Map<String, Object> page) {
    Object entries = page.get("entries");
    return entries == null ? List.of() : Json.asObjects(entries);
  }
}
