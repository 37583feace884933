package io.svc.worker;

import io.svc.internal.CodeCall;
import io.svc.internal.Inputs;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;

/** Calls the tool of an item and hands in its output or error. */
record ToolCall(Tool tool, Held held, Lease lease, System.Logger logger) {
  private static final long CANCEL_MS_MAX = 5000;

  Ending run() {
    long began = System.nanoTime();
    ToolContext context = contextOf(held.item());
    CodeCall<Map<String, Object>> call = new CodeCall<>(tool.name(), () -> call(context));
    boolean isDone = call.await(lease.stopped(), null);
    if (lease.lost().isSet()) {
      call.interrupt(CANCEL_MS_MAX);
      return Ending.ABANDONED;
    }
    if (!isDone) {
      // The time of the worker is up, or nobody wants the result: another worker may begin at once.
      call.interrupt(CANCEL_MS_MAX);
      return held.release();
    }
    Map<String, Object> output;
    try {
      output = call.result();
    } catch (Throwable error) {
      logger.log(Level.WARNING, "the tool failed: " + error, error);
      return held.fail(Failure.of(error));
    }
    long durationMs = (System.nanoTime() - began) / 1_000_000;
    return held.complete(output, durationMs, context.labels().asMap());
  }

  private Map<String, Object> call(ToolContext context) throws Exception {
    Object input = Inputs.decode(tool.input(), held.item().input());
    Object output = tool.function().run(input, context);
    return Json.requireObject(output, "The output of the tool " + tool.name());
  }

  private ToolContext contextOf(WorkItem item) {
    return new ToolContext(
        item.executionId(),
        item.nodeId(),
        item.id(),
        item.attempt(),
        item.key(),
        Optional.ofNullable(item.traceparent()),
        lease.stopped()::isSet,
        logger);
  }
}
