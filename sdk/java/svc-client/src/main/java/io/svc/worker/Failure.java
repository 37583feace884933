package io.svc.worker;

import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;
import io.svc.internal.Described;
import io.svc.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How an item fails.
 *
 * @param isFinal true: no attempt follows; null: the retry policy decides
 * @param retryAfterMs null: the retry policy decides
 * @param riding members of the request that record entries of a journal in the same commit
 * @param isPlaceClaimed the runtime has refused another end of the item, which claimed for its
 *     place
 */
record Failure(
    Described error,
    Boolean isFinal,
    Long retryAfterMs,
    Map<String, Object> riding,
    boolean isPlaceClaimed) {
  /** {@code Fatal} keeps its class; no attempt follows one. */
  static Failure of(Throwable error) {
    return of(error, Described.of(error));
  }

  /** The same with another message. */
  static Failure of(Throwable error, Described described) {
    return new Failure(
        described,
        error instanceof Fatal ? true : null,
        error instanceof RetryAfter later ? later.delay().toMillis() : null,
        Map.of(),
        false);
  }

  Failure with(Boolean isFinal, Map<String, Object> riding) {
    return new Failure(error, isFinal, retryAfterMs, riding, isPlaceClaimed);
  }

  /** Model usage beside that of the entries; null: none. */
  Failure withUsage(Map<String, Object> usage) {
    if (usage == null) {
      return this;
    }
    Map<String, Object> more =
        Json.object(
            "gen_ai_model", usage.get("model"),
            "gen_ai_input_tokens", usage.get("input_tokens"),
            "gen_ai_output_tokens", usage.get("output_tokens"),
            "gen_ai_cost_usd", usage.get("cost_usd"));
    more.putAll(riding);
    return with(isFinal, more);
  }

  /** The same without entries, which {@code told} explains where it is not null. */
  Failure withoutEntries(String told) {
    Map<String, Object> rest = new LinkedHashMap<>(riding);
    rest.keySet().removeAll(List.of("expected_length", "entries"));
    if (told == null) {
      return new Failure(error, isFinal, retryAfterMs, rest, true);
    }
    Described more = new Described(error.message() + "; " + told, error.errorClass());
    return new Failure(more, true, retryAfterMs, rest, true);
  }

  boolean hasEntries() {
    return riding.get("entries") instanceof List<?> entries && !entries.isEmpty();
  }

  Map<String, Object> members() {
    Map<String, Object> members =
        new LinkedHashMap<>(
            Json.object(
                "error", error.message(),
                "error_class", error.errorClass(),
                "final", isFinal,
                "retry_after_ms", retryAfterMs));
    members.putAll(riding);
    return members;
  }
}
