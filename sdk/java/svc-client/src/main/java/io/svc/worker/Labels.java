package io.svc.worker;

import io.svc.internal.LabelRules;
import java.util.LinkedHashMap;
import java.util.Map;

/** Labels of an execution that a tool sets. Threads may share them. */
public final class Labels {
  private Map<String, String> labels = Map.of();

  /** None yet. */
  public Labels() {}

  /**
   * Adds labels.
   *
   * @param more they replace labels of the same names
   * @throws io.svc.errors.Fatal for what the runtime refuses: another attempt would set it again
   */
  public synchronized void set(Map<String, String> more) {
    Map<String, String> together = new LinkedHashMap<>(labels);
    together.putAll(more);
    LabelRules.check(together);
    labels = Map.copyOf(together);
  }

  /**
   * The labels so far.
   *
   * @return names and values; later calls of {@link #set} do not change it
   */
  public synchronized Map<String, String> asMap() {
    return labels;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Labels others && asMap().equals(others.asMap());
  }

  @Override
  public int hashCode() {
    return asMap().hashCode();
  }

  @Override
  public String toString() {
    return asMap().toString();
  }
}
