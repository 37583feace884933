package io.svc.internal;

import io.svc.errors.Fatal;
import java.util.Map;
import java.util.regex.Pattern;

/** What the runtime refuses as labels is Fatal here: another attempt would set it again. */
public final class LabelRules {
  private static final int LABELS_MAX = 16;
  private static final int LENGTH_MAX = 128;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}");

  private LabelRules() {}

  /** Throws Fatal for labels that no execution can have. */
  public static void check(Map<String, String> labels) {
    labels.forEach(LabelRules::checkOne);
    if (labels.size() > LABELS_MAX) {
      throw new Fatal(
          "an execution has at most " + LABELS_MAX + " labels: " + labels.size() + " are set");
    }
  }

  private static void checkOne(String name, String value) {
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
