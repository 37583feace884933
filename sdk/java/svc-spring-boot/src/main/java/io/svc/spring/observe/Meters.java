package io.svc.spring.observe;

import java.time.Duration;

/** What the companion counts. */
public interface Meters {
  /** Counts nothing. */
  Meters NONE = new Meters() {};

  /** An execution has ended as {@code completed}, {@code failed} or {@code cancelled}. */
  default void executionEnded(String status, Duration duration) {}

  /** A node of an execution has ended. */
  default void nodeEnded(String nodeId, String nodeKind, Duration duration) {}

  /** A node runs again, because its execution is resumed. */
  default void nodeRetried(String nodeId) {}

  /** A tool was called. */
  default void toolCalled(String toolName, Duration duration) {}

  /** The price of an execution is known. */
  default void costKnown(double usd) {}

  /** The runtime has recorded an audit entry of type {@code prompt} or {@code response}. */
  default void auditEventRecorded(String eventType) {}
}
