package io.svc.internal.turn;

import io.svc.functions.DurableFunction;
import io.svc.functions.FunctionCode;
import io.svc.functions.NonDeterminismException;
import io.svc.internal.Inputs;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;

/** Runs a turn of a function, and says what it came to. */
public record TurnRun(
    DurableFunction<?, ?> function, Journal journal, ItemFacts facts, TurnTools tools) {
  /** Throws what the journal threw: then the turn has no outcome. */
  public Outcome run(Object input, boolean isRollback) {
    Turn turn = new Turn(journal, tools, !isRollback);
    Compensations compensations = new Compensations();
    TurnContext ctx = new TurnContext(turn, tools, facts, compensations);
    Scope root = new Scope();
    turn.begin(root, () -> call(ctx, input));
    End end = turn.run();
    root.abandon();
    if (end.kind() == End.Kind.STOPPED) {
      return Outcome.of(Outcome.Kind.STOPPED, turn.log().unrecorded());
    }
    return isRollback ? rollBack(turn, compensations) : judge(turn, end);
  }

  private Outcome judge(Turn turn, End end) {
    List<Map<String, Object>> entries = turn.log().unrecorded();
    if (end.kind() == End.Kind.SUSPENDED) {
      return Outcome.of(Outcome.Kind.SUSPENDED, List.of());
    }
    if (end.kind() == End.Kind.THREW) {
      return Outcome.failed(entries, end.error());
    }
    NonDeterminismException unasked = seekUnasked(turn);
    if (unasked != null) {
      return Outcome.failed(entries, unasked);
    }
    boolean isContinued = end.kind() == End.Kind.CONTINUED;
    Outcome.Kind kind = isContinued ? Outcome.Kind.CONTINUED : Outcome.Kind.COMPLETED;
    return new Outcome(kind, entries, end.output(), null, null, false);
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> call(TurnContext ctx, Object input) throws Exception {
    FunctionCode<Object, Object> code = (FunctionCode<Object, Object>) function.code();
    Object output = code.run(ctx, Inputs.decode(function.input(), input));
    return Json.requireObject(output, "The output of the function");
  }

  /** The code ended without asking for a recorded entry. */
  private NonDeterminismException seekUnasked(Turn turn) {
    Map<String, Object> entry = turn.log().neverAsked();
    if (entry == null) {
      return null;
    }
    String recorded = Entries.quote(entry);
    if (function.options().isStrict()) {
      return EntryLog.divergence(recorded, "nothing more");
    }
    tools
        .logger()
        .log(Level.WARNING, "the code did not ask for a recorded entry: " + recorded);
    return null;
  }

  private Outcome rollBack(Turn turn, Compensations compensations) {
    Compensations.Failed failed = compensations.run(tools, turn.log(), journal);
    if (tools.stopped().isSet()) {
      return Outcome.of(Outcome.Kind.STOPPED, List.of());
    }
    if (failed == null) {
      return Outcome.of(Outcome.Kind.COMPLETED, List.of());
    }
    return new Outcome(
        Outcome.Kind.FAILED, List.of(), Map.of(), failed.error(), failed.usage(), true);
  }
}
