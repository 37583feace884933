package io.svc.spring.call;

import io.svc.json.Json;
import io.svc.spring.SvcContextKeys;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.Outbox;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;

/** A call with its execution. It ends once, however often it is told to. */
public final class ModelCall {
  private static final int ERROR_CHARACTERS_MAX = 2000;
  private static final String WAIT = "wait";
  private final Ids ids;
  private final boolean isOwned;
  private final Sinks sinks;
  private final Tracer.Span executionSpan;
  private final Tracer.Span nodeSpan;
  private final long startedNanos = System.nanoTime();
  private final AtomicBoolean hasEnded = new AtomicBoolean();

  /**
   * The three ids of the context.
   *
   * @param execution the runtime's id
   * @param workflow the workflow's id
   * @param session groups calls
   */
  public record Ids(String execution, String workflow, String session) {}

  /**
   * Where the end is told.
   *
   * @param outbox tells the runtime
   * @param meters count
   * @param tracer makes spans
   * @param onEnd forgets the call
   */
  record Sinks(Outbox outbox, Meters meters, Tracer tracer, Consumer<ModelCall> onEnd) {}

  /**
   * A call that has begun.
   *
   * @param isOwned false: another one ends the execution
   */
  ModelCall(Ids ids, boolean isOwned, Sinks sinks) {
    this.ids = ids;
    this.isOwned = isOwned;
    this.sinks = sinks;
    executionSpan = sinks.tracer.execution(ids.execution, ids.workflow);
    nodeSpan = sinks.tracer.node(executionSpan, ModelCallWorkflow.CALL_NODE, WAIT);
  }

  /**
   * The ids of the context.
   *
   * @return execution, workflow and session
   */
  public Ids ids() {
    return ids;
  }

  /**
   * The span of the call.
   *
   * @return the parent of spans of models and tools
   */
  public Tracer.Span span() {
    return nodeSpan;
  }

  /**
   * The span of the execution.
   *
   * @return the parent of spans of other nodes
   */
  public Tracer.Span executionSpan() {
    return executionSpan;
  }

  /** The request with the ids in its context. */
  public ChatClientRequest identify(ChatClientRequest request) {
    return request.mutate().context(context()).build();
  }

  /** The response with the ids in its context. */
  public ChatClientResponse identify(ChatClientResponse response) {
    return response.mutate().context(context()).build();
  }

  /** The model has answered. */
  public void complete(ResponseSoFar response) {
    Map<String, Object> outcome =
        Json.object(
            "status", "completed",
            "model", response.model(),
            "total_tokens", response.totalTokens(),
            "cost_usd", response.usd().isPresent() ? response.usd().getAsDouble() : null);
    response.usd().ifPresent(this::recordCost);
    end("completed", outcome, null);
  }

  /** The call has failed. */
  public void fail(Throwable error) {
    String text = error.getClass().getSimpleName() + ": " + error.getMessage();
    String bounded = text.substring(0, Math.min(text.length(), ERROR_CHARACTERS_MAX));
    end("failed", Json.object("status", "failed", "error", bounded), error);
  }

  /** Nobody wants the answer any longer. */
  public void cancel() {
    end("cancelled", null, null);
  }

  private Map<String, Object> context() {
    return Map.of(
        SvcContextKeys.EXECUTION_ID, ids.execution,
        SvcContextKeys.WORKFLOW_ID, ids.workflow,
        SvcContextKeys.SESSION_ID, ids.session);
  }

  private void recordCost(double usd) {
    sinks.meters.costKnown(usd);
    executionSpan.cost(usd);
  }

  /** Ends everything; an outcome of null cancels the execution. */
  private void end(String status, Map<String, Object> outcome, Throwable error) {
    if (!hasEnded.compareAndSet(false, true)) {
      return;
    }
    sinks.onEnd.accept(this);
    if (isOwned) {
      tellRuntime(outcome);
    }
    nodeSpan.end(error);
    executionSpan.end(error);
    Duration duration = Duration.ofNanos(System.nanoTime() - startedNanos);
    sinks.meters.nodeEnded(ModelCallWorkflow.CALL_NODE, WAIT, duration);
    if (isOwned) {
      sinks.meters.executionEnded(status, duration);
    }
  }

  private void tellRuntime(Map<String, Object> outcome) {
    sinks.outbox.add(
        ids.execution,
        (runtime, again) -> {
          if (outcome == null) {
            runtime.cancel(ids.execution);
          } else {
            runtime.deliver(ids.execution, ModelCallWorkflow.FINISHED_KEY, outcome);
          }
        });
  }
}
