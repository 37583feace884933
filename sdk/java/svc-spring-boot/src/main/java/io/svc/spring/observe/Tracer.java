package io.svc.spring.observe;

import java.util.function.Supplier;

/** Makes the spans of a call. */
public interface Tracer {
  /** Makes no spans. */
  Tracer NONE = new Tracer() {};

  /** The span of an execution, below the caller's span. */
  default Span execution(String executionId, String workflowId) {
    return Span.NONE;
  }

  /** The span of a node. */
  default Span node(Span parent, String nodeId, String nodeKind) {
    return Span.NONE;
  }

  /** The span of a tool's call; a parent of null is the caller's span. */
  default Span tool(Span parent, String toolName) {
    return Span.NONE;
  }

  /** The span of a model's call; a parent of null is the caller's span. */
  default Span model(Span parent, String modelName) {
    return Span.NONE;
  }

  /** The same task, in the trace of this thread, for another thread. */
  default <T> Supplier<T> inCallersContext(Supplier<T> task) {
    return task;
  }

  /** One span. */
  interface Span {
    /** No span. */
    Span NONE = new Span() {};

    /** Makes it the current span of the thread until the scope is closed. */
    default Scope makeCurrent() {
      return () -> {};
    }

    /** Adds the price, in US dollars. */
    default void cost(double usd) {}

    /** Ends it; an error of null is none. */
    default void end(Throwable error) {}
  }

  /** Until it is closed, a span is the current one. */
  interface Scope extends AutoCloseable {
    @Override
    void close();
  }
}
