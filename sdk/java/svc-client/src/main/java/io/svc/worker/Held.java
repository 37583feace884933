package io.svc.worker;

import io.svc.errors.LeaseLost;
import io.svc.internal.Described;
import io.svc.internal.Signal;
import io.svc.internal.request.Answer;
import io.svc.internal.request.Api;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An item that the worker holds, and the ends that it may come to.
 *
 * <p>A request without an answer is sent again with the same fence and key, for as long as the
 * lease is held. A 409 or a 404 says that nothing is left to do: an earlier try of this request has
 * settled the item, or somebody else has.
 */
record Held(Api api, Reports reports, WorkItem item, Signal lost, System.Logger logger) {
  /** Hands the output in; an output that the runtime cannot record fails the item. */
  Ending complete(Map<String, Object> output, long durationMs, Map<String, String> labels) {
    Map<String, Object> members = completion(output, durationMs);
    if (!labels.isEmpty()) {
      members.put("labels", labels);
    }
    return complete(members, Map.of());
  }

  /** The same for a function, whose last entries ride along. */
  Ending completeTurn(Map<String, Object> output, long durationMs, Map<String, Object> riding) {
    Map<String, Object> members = completion(output, durationMs);
    members.putAll(riding);
    return complete(members, riding);
  }

  private Map<String, Object> completion(Map<String, Object> output, long durationMs) {
    return new LinkedHashMap<>(
        Json.object(
            "execution_id", item.executionId(),
            "node_id", item.nodeId(),
            "output", output,
            "state_patch", Map.of(),
            "duration_ms", durationMs,
            "idempotency_key", item.idempotencyKey()));
  }

  private Ending complete(Map<String, Object> members, Map<String, Object> riding) {
    Answer answer = post("complete", members, false);
    if (answer != null && answer.isInvalid()) {
      Described error = new Described(answer.reason(), "invalid_output");
      return failRefused(new Failure(error, item.isFunction() ? true : null, null, riding, true));
    }
    return endingOf(answer, Ending.COMPLETED);
  }

  /** Ends the visit of a function; another one begins with the input. */
  Ending continueAsNew(Map<String, Object> input, Map<String, Object> riding) {
    Map<String, Object> members = Json.object("input", input);
    members.putAll(riding);
    Answer answer = post("continue", members, false);
    if (answer != null && answer.isInvalid()) {
      String message = "the function cannot continue as new: " + answer.reason();
      Described error = new Described(message, "ContinueAsNewError");
      return failRefused(new Failure(error, true, null, riding, true));
    }
    return endingOf(answer, Ending.CONTINUED);
  }

  private Ending failRefused(Failure failure) {
    tellRefusal(failure);
    return fail(failure);
  }

  Ending fail(Failure failure) {
    Answer answer = post("fail", failure.members(), failure.isPlaceClaimed());
    if (answer == null || !answer.isInvalid() || !failure.hasEntries()) {
      return endingOf(answer, Ending.FAILED);
    }
    String refused = recordEach(failure.riding());
    // The refusal of another end is in the log already.
    if (refused != null && !failure.isPlaceClaimed()) {
      logger.log(Level.WARNING, "the runtime refuses entries: " + refused);
    }
    return fail(failure.withoutEntries(refused));
  }

  /** The code of the user has thrown nothing, so no other line of the log has the reason. */
  void tellRefusal(Failure failure) {
    logger.log(Level.WARNING, "the runtime refuses the result: " + failure.error().message());
  }

  /**
   * Records entries one by one, so that those the runtime refuses take no others with them. Says
   * which ones it refuses, and why; null: none.
   */
  String recordEach(Map<String, Object> riding) {
    long length = ((Number) riding.get("expected_length")).longValue();
    List<String> refused = new ArrayList<>();
    for (Map<String, Object> entry : Json.asObjects(riding.get("entries"))) {
      Map<String, Object> one = Json.object("expected_length", length, "entries", List.of(entry));
      Answer answer = post("steps", one, false);
      if (answer != null && answer.status() == 200) {
        length += 1;
      } else if (answer != null && (answer.isInvalid() || answer.isConflict())) {
        String what = entry.get("kind") + " \"" + entry.get("identity") + "\": ";
        refused.add(what + answer.reason());
      } else if (answer == null || answer.isOver()) {
        throw new LeaseLost("the lease is lost");
      } else {
        throw api.refusal(answer);
      }
    }
    return refused.isEmpty() ? null : "the journal does not take " + String.join(", ", refused);
  }

  /** Gives the item back: it uses no attempt, and another worker may have it. */
  Ending release() {
    Answer answer = post("release", Map.of(), false);
    return answer != null && answer.isOver() ? Ending.RELEASED : endingOf(answer, Ending.RELEASED);
  }

  /** Null when the lease is lost first. */
  Answer post(String kind, Map<String, Object> members, boolean isPlaceClaimed) {
    Map<String, Object> fenced = Json.object("lease_fence", item.leaseFence());
    fenced.putAll(members);
    return reports.sendUntilAnswered(
        new Reports.Report(kind, item.id(), fenced), lost, isPlaceClaimed);
  }

  private Ending endingOf(Answer answer, Ending ending) {
    if (answer == null) {
      return Ending.ABANDONED;
    }
    if (answer.status() == 200) {
      return ending;
    }
    if (answer.isOver()) {
      return answer.isAfterUnknown() ? ending : Ending.SETTLED;
    }
    throw api.refusal(answer);
  }
}
