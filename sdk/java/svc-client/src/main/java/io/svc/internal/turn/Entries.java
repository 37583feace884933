package io.svc.internal.turn;

import io.svc.functions.ChildException;
import io.svc.functions.StepException;
import io.svc.functions.WaitTimeoutException;
import io.svc.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Entries of a journal: {@code {identity, kind, output? | error?, attempts?, usage?, …}}. */
final class Entries {
  /** The call itself answers them, so the code passes them without a wait. */
  private static final Set<String> ANSWERED_AT_ONCE =
      Set.of("value", "version", "labels", "on_rollback", "rollback");

  private static final Set<String> LEFT_OUT = Set.of("version", "labels", "rollback");

  private Entries() {}

  static Map<String, Object> of(String identity, String kind) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("identity", identity);
    entry.put("kind", kind);
    return entry;
  }

  static Map<String, Object> withOutput(String identity, String kind, Object output) {
    Map<String, Object> entry = of(identity, kind);
    entry.put("output", output);
    return entry;
  }

  static String identity(Map<String, Object> entry) {
    return (String) entry.get("identity");
  }

  static String kind(Map<String, Object> entry) {
    return (String) entry.get("kind");
  }

  static boolean isAnsweredAtOnce(Map<String, Object> entry) {
    return ANSWERED_AT_ONCE.contains(kind(entry));
  }

  /**
   * Whether the code may leave out asking for the entry: you may delete a version that all
   * executions have passed, and labels. Rollbacks run in a turn of their own.
   */
  static boolean isLeftOut(Map<String, Object> entry) {
    return LEFT_OUT.contains(kind(entry));
  }

  static String quote(Map<String, Object> entry) {
    return quote(kind(entry), identity(entry));
  }

  static String quote(String kind, String identity) {
    return kind + " \"" + identity + "\"";
  }

  /** The exception that an entry with an error throws in the function. */
  static RuntimeException errorOf(Map<String, Object> entry) {
    Map<String, Object> error = Json.asObject(entry.get("error"));
    String message = (String) error.get("message");
    String errorClass = (String) error.get("class");
    String identity = identity(entry);
    return switch (kind(entry)) {
      case "step" ->
          new StepException(
              or(message, "the step failed"),
              identity,
              or(errorClass, "Error"),
              entry.get("attempts") instanceof Number number ? number.intValue() : 1);
      case "child" ->
          new ChildException(
              or(message, "the child execution failed"), identity, or(errorClass, "child_failed"));
      default ->
          new WaitTimeoutException(
              identity + ": " + or(message, "nothing came in time"), identity);
    };
  }

  private static String or(String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }
}
