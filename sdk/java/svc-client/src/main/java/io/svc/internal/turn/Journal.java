package io.svc.internal.turn;

import java.util.List;
import java.util.Map;

/**
 * The journal of one visit of a function's node, as {@code docs/reference/function-protocol.md}
 * defines it. Calls come one after the other. Any error that one throws ends the turn.
 */
public interface Journal {
  int ENTRIES_AT_ONCE_MAX = 100;
  int WAITS_MAX = 100;
  int ENTRIES_MAX = 10_000;

  /** Recorded when the turn begins. */
  List<Map<String, Object>> entries();

  /** Appends up to 100 entries in one commit. Gives the budget that they exceed, or null. */
  Map<String, Object> append(List<Map<String, Object>> entries);

  /**
   * Appends entries and waits in one commit.
   *
   * @return null: the item is suspended. Otherwise the turn continues, with the entries of waits
   *     that are satisfied already.
   */
  List<Map<String, Object>> suspend(
      List<Map<String, Object>> entries, List<Map<String, Object>> waits);
}
