package io.svc.worker;

import io.svc.errors.Fatal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Labels of an execution that a tool sets. Threads may share them. */
public final class Labels {
  private static final int LABELS_MAX = 16;
  private static final int LENGTH_MAX = 128;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}");
  private Map<String, String> labels = Map.of();

  /** None yet. */
  public Labels() {}

  /**
   * Adds labels.
   *
   * @param more they replace labels of the same names
   * @throws Fatal for what the runtime refuses: another attempt would set it again
   */
  public synchronized void set(Map<String, String> more) {
    more.forEach(Labels::check);
    Map<String, String> together = new LinkedHashMap<>(labels);
    together.putAll(more);
    if (together.size() > LABELS_MAX) {
      throw new Fatal(
          "an execution has at most " + LABELS_MAX + " labels: " + together.size() + " are set");
    }
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

  private static void check(String name, String value) {
    if (name == null || !NAME.matcher(name).matches()) {
      throw new Fatal(
          "the name of a label has at most "
              + LENGTH_MAX
              + " letters, digits and characters of _.:/-, and begins with a letter or a digit: "
              + name);
    }
    if (value == null) {
      throw new Fatal("the label " + name + " must be text, not null");
    }
    if (value.isEmpty() || value.length() > LENGTH_MAX || value.indexOf('\0') >= 0) {
      throw new Fatal(
          "the label " + name + " must have 1 to " + LENGTH_MAX + " characters, without U+0000");
    }
  }
}
