package io.svc.internal.request;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An answer of the runtime that says what happened.
 *
 * @param isAfterUnknown an earlier try of the same request may have arrived
 */
public record Answer(int status, Map<String, Object> body, boolean isAfterUnknown) {
  public Answer(int status, Map<String, Object> body) {
    this(status, body, false);
  }

  /** Whether an answer of this status leaves the outcome unknown. */
  public static boolean isUnknown(int status) {
    return status == 408 || status == 429 || status >= 500;
  }

  public Answer afterUnknown(boolean isAfter) {
    return new Answer(status, body, isAfter);
  }

  /** Nothing is left to do about the item. */
  public boolean isOver() {
    return status == 404 || status == 409;
  }

  /** The journal is not as the worker knows it. */
  public boolean isConflict() {
    return "journal_conflict".equals(body.get("reason"));
  }

  /** The runtime cannot record what the request carries. */
  public boolean isInvalid() {
    return List.of(400, 413, 422).contains(status);
  }

  public String reason() {
    String said =
        Stream.of(body.get("error"), body.get("reason"))
            .filter(String.class::isInstance)
            .map(Objects::toString)
            .collect(Collectors.joining(": "));
    return said.isEmpty() ? "status " + status : said;
  }
}
