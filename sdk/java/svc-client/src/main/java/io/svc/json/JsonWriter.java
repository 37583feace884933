package io.svc.json;

import java.util.List;
import java.util.Map;

/** Writes what {@link JsonEncoder} made. */
final class JsonWriter {
  private static final char[] HEX = "0123456789abcdef".toCharArray();
  private final StringBuilder out = new StringBuilder();

  private JsonWriter() {}

  static String write(Object value) {
    JsonWriter writer = new JsonWriter();
    writer.append(value);
    return writer.out.toString();
  }

  private void append(Object value) {
    switch (value) {
      case null -> out.append("null");
      case String text -> appendText(text);
      case Map<?, ?> members -> appendMembers(members);
      case List<?> items -> appendItems(items);
      case Double number -> appendDouble(number);
      default -> out.append(value);
    }
  }

  private void appendMembers(Map<?, ?> members) {
    char before = '{';
    for (Map.Entry<?, ?> member : members.entrySet()) {
      out.append(before);
      appendText((String) member.getKey());
      out.append(':');
      append(member.getValue());
      before = ',';
    }
    out.append(members.isEmpty() ? "{}" : "}");
  }

  private void appendItems(List<?> items) {
    char before = '[';
    for (Object item : items) {
      out.append(before);
      append(item);
      before = ',';
    }
    out.append(items.isEmpty() ? "[]" : "]");
  }

  /** As the other SDKs write it: 25.0 is 25. */
  private void appendDouble(double number) {
    if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      out.append((long) number);
    } else {
      out.append(number);
    }
  }

  private void appendText(String text) {
    out.append('"');
    for (int at = 0; at < text.length(); at++) {
      char next = text.charAt(at);
      if (next == '"' || next == '\\') {
        out.append('\\').append(next);
      } else if (next < ' ') {
        out.append("\\u00").append(HEX[next >> 4]).append(HEX[next & 15]);
      } else {
        out.append(next);
      }
    }
    out.append('"');
  }
}
