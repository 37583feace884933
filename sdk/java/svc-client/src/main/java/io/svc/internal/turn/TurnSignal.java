package io.svc.internal.turn;

import java.util.Map;

/** Ends the code of a function. No {@code catch (Exception)} catches it. */
abstract sealed class TurnSignal extends Error {
  private static final long serialVersionUID = 1L;

  private TurnSignal(String message) {
    super(message, null, false, false);
  }

  /** The turn is over, or the branch has lost a race: nobody waits for this code any more. */
  static final class Abandoned extends TurnSignal {
    private static final long serialVersionUID = 1L;

    Abandoned() {
      super("The turn of the function is over, or its branch lost. Do not catch this signal.");
    }
  }

  /** The function continues as new. */
  static final class Continued extends TurnSignal {
    private static final long serialVersionUID = 1L;
    private final transient Map<String, Object> input;

    Continued(Map<String, Object> input) {
      super("The function continues as new. Do not catch this signal.");
      this.input = input;
    }

    Map<String, Object> input() {
      return input;
    }
  }
}
