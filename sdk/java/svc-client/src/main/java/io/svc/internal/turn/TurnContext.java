package io.svc.internal.turn;

import io.svc.functions.Approval;
import io.svc.functions.ApprovalOptions;
import io.svc.functions.Branch;
import io.svc.functions.CallOptions;
import io.svc.functions.ContinueAsNewException;
import io.svc.functions.DurableFunction;
import io.svc.functions.EventOptions;
import io.svc.functions.FunctionContext;
import io.svc.functions.MapCode;
import io.svc.functions.MapOptions;
import io.svc.functions.StepAction;
import io.svc.functions.StepCode;
import io.svc.functions.StepOptions;
import io.svc.internal.Inputs;
import io.svc.internal.LabelRules;
import io.svc.json.Json;
import io.svc.json.TypeRef;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The context of a function in one turn. */
final class TurnContext implements FunctionContext {
  private final Turn turn;
  private final TurnTools tools;
  private final ItemFacts facts;
  private final Compensations compensations;
  private final System.Logger logger;

  TurnContext(Turn turn, TurnTools tools, ItemFacts facts, Compensations compensations) {
    this.turn = turn;
    this.tools = tools;
    this.facts = facts;
    this.compensations = compensations;
    this.logger = tools.logger().silentWhile(turn.log()::isReplaying);
  }

  @Override
  public String executionId() {
    return facts.executionId();
  }

  @Override
  public String nodeId() {
    return facts.nodeId();
  }

  @Override
  public int turn() {
    return facts.turn();
  }

  @Override
  public int attempt() {
    return facts.attempt();
  }

  @Override
  public String idempotencyKey() {
    return facts.idempotencyKey();
  }

  @Override
  public Optional<String> traceparent() {
    return facts.traceparent();
  }

  @Override
  public System.Logger logger() {
    return logger;
  }

  @Override
  public <T> T step(String name, Class<T> type, StepCode<? extends T> run, StepOptions options) {
    return decoded(type, runStep(name, run, options), name);
  }

  @Override
  public <T> T step(
      String name, TypeRef<T> type, StepCode<? extends T> run, StepOptions options) {
    return decoded(type.type(), runStep(name, run, options), name);
  }

  @Override
  public void step(String name, StepAction run, StepOptions options) {
    StepCode<?> code =
        step -> {
          run.run(step);
          return null;
        };
    runStep(name, code, options);
  }

  @Override
  public void sleep(String name, Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    // Other branches may have worked since.
    waitFor(
        name,
        "timer",
        wait -> {
          wait.put("delay_ms", Math.max(0, Math.ceilDiv(end - System.nanoTime(), 1_000_000)));
          return wait;
        });
  }

  @Override
  public void sleepUntil(String name, Instant time) {
    String until = time.truncatedTo(ChronoUnit.MILLIS).toString();
    waitFor(
        name,
        "timer",
        wait -> {
          wait.put("until", until);
          return wait;
        });
  }

  @Override
  public <T> T waitEvent(String name, Class<T> type, EventOptions options) {
    Object payload =
        waitFor(
            name,
            "event",
            wait -> {
              wait.put("correlation_key", options.key() != null ? options.key() : name);
              return withTimeout(wait, options.timeout());
            });
    return decoded(type, payload, name);
  }

  @Override
  public Approval approval(String name, ApprovalOptions options) {
    Object context = Json.toJson(options.context(), "context");
    Object decision =
        waitFor(
            name,
            "approval",
            wait -> {
              wait.putAll(Json.object("description", options.description(), "context", context));
              return withTimeout(wait, options.timeout());
            });
    return Json.decode(Approval.class, decision);
  }

  @Override
  public <I, O> O call(DurableFunction<I, O> function, I input, CallOptions options) {
    Object state = callChild(function.name(), input, options);
    Object output = state == null ? null : Json.asObject(state).get("output");
    return decoded(function.output(), output, function.name());
  }

  @Override
  public Map<String, Object> call(String workflowId, Object input, CallOptions options) {
    return Json.asObject(callChild(workflowId, input, options));
  }

  @Override
  public <T> List<T> gather(Collection<? extends Branch<? extends T>> branches)
      throws Exception {
    Fibers.Fiber fiber = at("all");
    return all(fiber, fiber.scope().identify("all"), branches, branches.size());
  }

  @Override
  public <T> T race(Collection<? extends Branch<? extends T>> branches) throws Exception {
    Fibers.Fiber fiber = at("race");
    String identity = fiber.scope().identify("race");
    return new Branches<T>(turn.fibers(), fiber, identity, branches).first();
  }

  @Override
  public <I, O> List<O> map(
      Collection<I> items, MapCode<? super I, ? extends O> run, MapOptions options)
      throws Exception {
    Fibers.Fiber fiber = at(options.name());
    String identity = fiber.scope().identify(options.name());
    List<Branch<O>> branches = new ArrayList<>();
    for (I item : items) {
      branches.add(() -> run.run(item));
    }
    return all(fiber, identity, branches, options.concurrency());
  }

  @Override
  public Instant now() {
    Object milliseconds = value("now", key -> System.currentTimeMillis(), false);
    return Instant.ofEpochMilli(((Number) milliseconds).longValue());
  }

  @Override
  public double random() {
    return ((Number) value("random", Derive::random, true)).doubleValue();
  }

  @Override
  public UUID uuid() {
    return UUID.fromString((String) value("uuid", key -> Derive.uuid(key).toString(), true));
  }

  @Override
  public int version(String change, int version) {
    if (version < 1) {
      throw new IllegalArgumentException("a version is a whole number from 1: " + version);
    }
    String identity = at(change).scope().prefix() + "version/" + change;
    Map<String, Object> found = turn.find(identity, "version");
    if (found != null) {
      return ((Number) found.get("output")).intValue();
    }
    if (turn.log().isReplaying()) {
      return 0;
    }
    turn.note(Entries.withOutput(identity, "version", (long) version), false);
    return version;
  }

  @Override
  public void setLabels(Map<String, String> labels) {
    LabelRules.check(labels);
    String identity = at("set-labels").scope().identify("set-labels");
    if (turn.find(identity, "labels") == null) {
      // Lost, they are set again.
      turn.note(Entries.withOutput(identity, "labels", Map.copyOf(labels)), true);
    }
  }

  @Override
  public void onRollback(String name, StepAction run) {
    String identity = at(name).scope().identify("on-rollback " + name);
    if (turn.find(identity, "on_rollback") == null) {
      turn.note(Entries.of(identity, "on_rollback"), false);
    }
    compensations.register(identity, run);
  }

  @Override
  public <T> T continueAsNew(Object input) {
    Fibers.Fiber fiber = at("continueAsNew");
    if (!compensations.isEmpty()) {
      throw new ContinueAsNewException(
          "A function with registered rollbacks cannot continue as new: the next visit cannot run "
              + "them. Do work that needs a rollback in a child, with ctx.call().");
    }
    Map<String, Object> next = Json.requireObject(input, "The input of ctx.continueAsNew()");
    turn.noteContinuation(fiber.scope());
    throw new TurnSignal.Continued(next);
  }

  /** The fiber of the caller, which must be one of this function. */
  private Fibers.Fiber at(String name) {
    Scope.checkName(name);
    Fibers.Fiber fiber = Fibers.current();
    if (fiber == null || !fiber.belongsTo(turn.fibers())) {
      throw new IllegalStateException(
          "ctx is for the threads that run the code of the function: not for the code of a step, "
              + "and not for threads of your own. "
              + Thread.currentThread().getName()
              + " uses it for "
              + name);
    }
    turn.noteUse();
    fiber.throwIfAbandoned();
    return fiber;
  }

  private Object runStep(String name, StepCode<?> run, StepOptions options) {
    Fibers.Fiber fiber = at(name);
    String identity = fiber.scope().identify(name);
    Waiter<Object> waiter = ask(fiber, identity, "step", null);
    new StepWork(turn, tools, identity, fiber.scope(), run, options, 1, 0).begin();
    return waiter.await();
  }

  private Object waitFor(String name, String kind, UnaryOperator<Map<String, Object>> fill) {
    Fibers.Fiber fiber = at(name);
    String identity = fiber.scope().identify(name);
    return ask(fiber, identity, kind, fill).await();
  }

  private Waiter<Object> ask(
      Fibers.Fiber fiber, String identity, String kind, UnaryOperator<Map<String, Object>> fill) {
    Waiter<Object> waiter = new Waiter<>(turn.fibers(), fiber);
    turn.ask(
        new Ask(
            identity,
            kind,
            fiber.scope(),
            entry -> waiter.succeed(entry.get("output")),
            waiter::fail,
            fill == null ? null : () -> fill.apply(Entries.of(identity, kind))));
    return waiter;
  }

  private Object callChild(String workflowId, Object input, CallOptions options) {
    String name = options.name() != null ? options.name() : workflowId;
    Map<String, Object> given =
        Json.requireObject(input, "The input of ctx.call(\"" + workflowId + "\")");
    return waitFor(
        name,
        "child",
        wait -> {
          wait.putAll(
              Json.object(
                  "workflow_id", workflowId, "input", given, "version", options.version()));
          return wait;
        });
  }

  private <T> List<T> all(
      Fibers.Fiber fiber,
      String identity,
      Collection<? extends Branch<? extends T>> branches,
      int concurrency)
      throws Exception {
    return new Branches<T>(turn.fibers(), fiber, identity, branches).all(concurrency);
  }

  private Object value(String name, Function<String, Object> make, boolean isDerived) {
    String identity = at(name).scope().identify(name);
    Map<String, Object> found = turn.find(identity, "value");
    if (found != null) {
      return found.get("output");
    }
    Object output = make.apply(Derive.key(tools.visitKey(), identity));
    turn.note(Entries.withOutput(identity, "value", output), isDerived);
    return output;
  }

  private static Map<String, Object> withTimeout(Map<String, Object> wait, Duration timeout) {
    if (timeout != null) {
      wait.put("timeout_ms", timeout.toMillis());
    }
    return wait;
  }

  @SuppressWarnings("unchecked")
  private static <T> T decoded(Type type, Object value, String name) {
    return (T) Inputs.decode(type, value, name);
  }
}
