package io.svc.spring.observe;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;

/** Counts with Micrometer. */
public final class MicrometerMeters implements Meters {
  private final MeterRegistry registry;
  private final String prefix;

  /**
   * Meters of a registry.
   *
   * @param registry holds them
   * @param prefix the first part of their names
   */
  public MicrometerMeters(MeterRegistry registry, String prefix) {
    this.registry = registry;
    this.prefix = prefix;
  }

  @Override
  public void executionEnded(String status, Duration duration) {
    registry.timer(name("execution.duration"), "status", status).record(duration);
    registry.counter(name("execution.count"), "status", status).increment();
  }

  @Override
  public void nodeEnded(String nodeId, String nodeKind, Duration duration) {
    registry
        .timer(name("node.duration"), "node_id", nodeId, "node_kind", nodeKind)
        .record(duration);
  }

  @Override
  public void nodeRetried(String nodeId) {
    registry.counter(name("node.retries"), "node_id", nodeId).increment();
  }

  @Override
  public void toolCalled(String toolName, Duration duration) {
    registry.counter(name("tool.calls"), "tool_name", toolName).increment();
    registry.timer(name("tool.duration"), "tool_name", toolName).record(duration);
  }

  @Override
  public void costKnown(double usd) {
    registry.summary(name("execution.cost.usd")).record(usd);
  }

  @Override
  public void auditEventRecorded(String eventType) {
    registry.counter(name("audit.events"), "event_type", eventType).increment();
  }

  private String name(String rest) {
    return prefix + "." + rest;
  }
}
