package io.svc.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One text of JSON (RFC 8259). */
final class JsonReader {
  private final String text;
  private int at;
  private int depth;

  JsonReader(String text) {
    this.text = text;
  }

  Object read() {
    Object value = readValue();
    skipSpace();
    if (at < text.length()) {
      throw refuse("nothing more");
    }
    return value;
  }

  private Object readValue() {
    skipSpace();
    return switch (peek()) {
      case '{' -> readObject();
      case '[' -> readArray();
      case '"' -> readString();
      case 't' -> readWord("true", true);
      case 'f' -> readWord("false", false);
      case 'n' -> readWord("null", null);
      default -> readNumber();
    };
  }

  private Map<String, Object> readObject() {
    enter();
    Map<String, Object> members = new LinkedHashMap<>();
    if (!skipIf('}')) {
      do {
        skipSpace();
        if (peek() != '"') {
          throw refuse("a key");
        }
        String key = readString();
        require(':');
        members.put(key, readValue());
      } while (skipIf(','));
      require('}');
    }
    depth--;
    return members;
  }

  private List<Object> readArray() {
    enter();
    List<Object> items = new ArrayList<>();
    if (!skipIf(']')) {
      do {
        items.add(readValue());
      } while (skipIf(','));
      require(']');
    }
    depth--;
    return items;
  }

  private void enter() {
    if (++depth > Json.DEPTH_MAX) {
      throw new JsonException("the JSON nests deeper than " + Json.DEPTH_MAX);
    }
    at++;
  }

  private String readString() {
    at++;
    int from = at;
    while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
      refuseControl();
      at++;
    }
    if (peek() == '"') {
      return text.substring(from, at++);
    }
    StringBuilder read = new StringBuilder(text.substring(from, at));
    while (peek() != '"') {
      refuseControl();
      char next = text.charAt(at++);
      read.append(next == '\\' ? readEscape() : next);
    }
    at++;
    return read.toString();
  }

  private void refuseControl() {
    if (text.charAt(at) < ' ') {
      throw refuse("text without control characters");
    }
  }

  private char readEscape() {
    char escaped = peek();
    at++;
    return switch (escaped) {
      case '"', '\\', '/' -> escaped;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> readUnicode();
      default -> {
        at--;
        throw refuse("an escape");
      }
    };
  }

  private char readUnicode() {
    int code = 0;
    for (int left = 4; left > 0; left--) {
      int digit = hexDigit(peek());
      if (digit < 0) {
        throw refuse("four hexadecimal digits");
      }
      code = code * 16 + digit;
      at++;
    }
    return (char) code;
  }

  /** Other scripts have digits too, which JSON does not take. */
  private static int hexDigit(char digit) {
    return digit < 128 ? Character.digit(digit, 16) : -1;
  }

  private Object readNumber() {
    int from = at;
    skipChar('-');
    if (!skipChar('0')) {
      skipDigits();
    }
    boolean isWhole = true;
    if (skipChar('.')) {
      isWhole = false;
      skipDigits();
    }
    if (skipChar('e') || skipChar('E')) {
      isWhole = false;
      if (!skipChar('+')) {
        skipChar('-');
      }
      skipDigits();
    }
    return toNumber(text.substring(from, at), isWhole);
  }

  private static Object toNumber(String digits, boolean isWhole) {
    if (isWhole && digits.length() <= 18) {
      return Long.parseLong(digits);
    }
    double number = Double.parseDouble(digits);
    if (Double.isInfinite(number)) {
      String start = digits.substring(0, Math.min(40, digits.length()));
      throw new JsonException("a number is too large: " + start);
    }
    return number;
  }

  private void skipDigits() {
    int from = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == from) {
      throw refuse(peekIsDigitPlace() ? "a digit" : "a value");
    }
  }

  private boolean peekIsDigitPlace() {
    return at > 0 && "-.eE+".indexOf(text.charAt(at - 1)) >= 0;
  }

  private Object readWord(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw refuse("a value");
    }
    at += word.length();
    return value;
  }

  private boolean skipIf(char wanted) {
    skipSpace();
    return skipChar(wanted);
  }

  private void require(char wanted) {
    if (!skipIf(wanted)) {
      throw refuse("'" + wanted + "'");
    }
  }

  private boolean skipChar(char wanted) {
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw new JsonException("the JSON ends too early, after " + text.length() + " characters");
    }
    return text.charAt(at);
  }

  private JsonException refuse(String wanted) {
    String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
    return new JsonException(
        "the JSON has " + found + " where " + wanted + " must be, at character " + (at + 1));
  }
}
