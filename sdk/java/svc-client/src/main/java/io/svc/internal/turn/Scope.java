package io.svc.internal.turn;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where the code is: the function itself, or a branch of it. Each branch counts the names within
 * it, so the order in which branches run changes no identity.
 */
final class Scope {
  private static final Pattern REFUSED = Pattern.compile("[#/\\[\\]\\x00-\\x1f\\x7f-\\x9f]");
  private static final int NAME_MAX = 200;
  private final String prefix;
  private final Scope parent;
  private final Map<String, Integer> counts = new HashMap<>();
  private volatile boolean isLost;

  Scope() {
    this("", null);
  }

  private Scope(String prefix, Scope parent) {
    this.prefix = prefix;
    this.parent = parent;
  }

  /** Begins each identity: empty, or as {@code map[3]/}. */
  String prefix() {
    return prefix;
  }

  /** The name and its occurrence: {@code charge}, then {@code charge#2}. */
  String identify(String name) {
    int count = counts.merge(name, 1, Integer::sum);
    return prefix + name + (count == 1 ? "" : "#" + count);
  }

  Scope branch(String identity, int index) {
    return new Scope(identity + "[" + index + "]/", this);
  }

  /** The branch lost a race: nothing new begins in it. */
  void abandon() {
    isLost = true;
  }

  boolean isAbandoned() {
    return isLost || (parent != null && parent.isAbandoned());
  }

  /** Refuses a name that could be taken for an identity. */
  static void checkName(String name) {
    if (name.isEmpty() || name.length() > NAME_MAX || REFUSED.matcher(name).find()) {
      throw new IllegalArgumentException(
          "a name has 1 to 200 characters without \"#\", \"/\", \"[\" and \"]\": " + name);
    }
  }
}
