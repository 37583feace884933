package io.svc.spring.observe;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.util.function.Supplier;

/** Makes spans with OpenTelemetry. */
public final class OpenTelemetryTracer implements Tracer {
  private final io.opentelemetry.api.trace.Tracer tracer;

  /**
   * Spans of the scope {@code io.svc.spring}.
   *
   * @param telemetry receives them
   */
  public OpenTelemetryTracer(OpenTelemetry telemetry) {
    tracer = telemetry.getTracer("io.svc.spring");
  }

  @Override
  public Span execution(String executionId, String workflowId) {
    return start(
        span("svc.execution", SpanKind.INTERNAL, null)
            .setAttribute("svc.execution.id", executionId)
            .setAttribute("svc.workflow.id", workflowId));
  }

  @Override
  public Span node(Span parent, String nodeId, String nodeKind) {
    return start(
        span("svc.node." + nodeId, SpanKind.INTERNAL, parent)
            .setAttribute("svc.node.id", nodeId)
            .setAttribute("svc.node.kind", nodeKind));
  }

  @Override
  public Span tool(Span parent, String toolName) {
    return start(
        span("svc.tool." + toolName, SpanKind.CLIENT, parent)
            .setAttribute("svc.tool.name", toolName));
  }

  @Override
  public Span model(Span parent, String modelName) {
    return start(
        span("svc.model.call", SpanKind.CLIENT, parent)
            .setAttribute("svc.model.name", modelName));
  }

  @Override
  public <T> Supplier<T> inCallersContext(Supplier<T> task) {
    return Context.current().wrapSupplier(task);
  }

  private SpanBuilder span(String name, SpanKind kind, Span parent) {
    SpanBuilder builder = tracer.spanBuilder(name).setSpanKind(kind);
    return parent instanceof Recorded recorded
        ? builder.setParent(Context.current().with(recorded.span))
        : builder;
  }

  private static Span start(SpanBuilder builder) {
    return new Recorded(builder.startSpan());
  }

  private record Recorded(io.opentelemetry.api.trace.Span span) implements Span {
    @Override
    public Scope makeCurrent() {
      io.opentelemetry.context.Scope scope = span.makeCurrent();
      return scope::close;
    }

    @Override
    public void cost(double usd) {
      span.setAttribute("svc.cost.usd", usd);
    }

    @Override
    public void end(Throwable error) {
      if (error != null) {
        span.setStatus(StatusCode.ERROR, String.valueOf(error.getMessage()));
        span.recordException(error);
      }
      span.end();
    }
  }
}
