package io.svc.internal.turn;

import java.util.Map;

/** How the code of a turn ended. */
record End(Kind kind, Map<String, Object> output, Throwable error) {
  enum Kind {
    RETURNED,
    THREW,
    CONTINUED,
    SUSPENDED,
    /** A rollback has gone over the journal. */
    REPLAYED,
    STOPPED
  }

  static End returned(Map<String, Object> output) {
    return new End(Kind.RETURNED, output, null);
  }

  static End threw(Throwable error) {
    return new End(Kind.THREW, Map.of(), error);
  }

  static End continued(Map<String, Object> input) {
    return new End(Kind.CONTINUED, input, null);
  }

  static End of(Kind kind) {
    return new End(kind, Map.of(), null);
  }
}
