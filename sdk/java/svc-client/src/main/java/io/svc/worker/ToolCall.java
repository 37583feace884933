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
    CodeCall<Map<String, Object>> call = new CodeCall<>(tool.name(), this::call);
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
    return held.complete(output, (System.nanoTime() - began) / 1_000_000, Map.of());
  }

  private Map<String, Object> call() throws Exception {
    Object input = Inputs.decode(tool.input(), held.item().input());
    Object output = tool.function().run(input, contextOf(held.item()));
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
