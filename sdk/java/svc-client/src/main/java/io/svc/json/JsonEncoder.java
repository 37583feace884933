package io.svc.json;

import io.svc.errors.SerializationException;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Java's values as values of JSON. */
final class JsonEncoder {
  private static final long INTEGER_MAX = (1L << 53) - 1;
  private static final BigInteger BIG_MAX = BigInteger.valueOf(INTEGER_MAX);

  Object encode(Object value, String path, int depth) {
    if (depth > Json.DEPTH_MAX) {
      throw new SerializationException(
          start(path) + " nests deeper than " + Json.DEPTH_MAX + ", or contains itself");
    }
    return switch (value) {
      case null -> null;
      case Boolean flag -> flag;
      case String text -> checkText(text, path);
      case Character letter -> checkText(letter.toString(), path);
      case Number number -> encodeNumber(number, path);
      case Enum<?> constant -> Records.nameOf(constant);
      case Optional<?> optional -> encode(optional.orElse(null), path, depth);
      case ZonedDateTime time -> time.toOffsetDateTime().toString();
      case TemporalAccessor time -> time.toString();
      case Duration duration -> duration.toString();
      case UUID id -> id.toString();
      case URI address -> address.toString();
      case Map<?, ?> map -> encodeMap(map, path, depth);
      case Collection<?> items -> encodeItems(items, path, depth);
      case Record fields -> encodeRecord(fields, path, depth);
      default -> encodeOther(value, path, depth);
    };
  }

  private Map<String, Object> encodeMap(Map<?, ?> map, String path, int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      String key = keyOf(entry.getKey(), path);
      members.put(key, encode(entry.getValue(), path + "." + key, depth + 1));
    }
    return members;
  }

  private static String keyOf(Object key, String path) {
    return switch (key) {
      case String text -> checkText(text, path);
      case Enum<?> constant -> Records.nameOf(constant);
      case UUID id -> id.toString();
      case null, default ->
          throw new SerializationException(path + " has the key " + key + "; keys must be text");
    };
  }

  private List<Object> encodeItems(Collection<?> items, String path, int depth) {
    List<Object> list = new ArrayList<>(items.size());
    for (Object item : items) {
      list.add(encode(item, path + "[" + list.size() + "]", depth + 1));
    }
    return list;
  }

  private Map<String, Object> encodeRecord(Record fields, String path, int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    for (RecordComponent component : fields.getClass().getRecordComponents()) {
      String name = Records.nameOf(component);
      Object member = Records.read(fields, component);
      members.put(name, encode(member, path + "." + name, depth + 1));
    }
    return members;
  }

  private Object encodeOther(Object value, String path, int depth) {
    Class<?> type = value.getClass();
    if (!type.isArray() || type == byte[].class) {
      throw new SerializationException(path + " is a " + type.getSimpleName() + adviceFor(value));
    }
    List<Object> list = new ArrayList<>();
    for (int at = 0; at < Array.getLength(value); at++) {
      list.add(encode(Array.get(value, at), path + "[" + at + "]", depth + 1));
    }
    return list;
  }

  private static String adviceFor(Object value) {
    return value instanceof byte[]
        ? "; use text in base64, or store an artifact"
        : "; use text, numbers, lists, maps or records";
  }

  private static Object encodeNumber(Number number, String path) {
    return switch (number) {
      case Long whole -> checkWhole(whole, path);
      case Integer whole -> whole.longValue();
      case Short whole -> whole.longValue();
      case Byte whole -> whole.longValue();
      case Double real -> checkReal(real, path);
      case Float real -> checkReal(Double.parseDouble(real.toString()), path);
      case BigInteger whole when whole.abs().compareTo(BIG_MAX) <= 0 -> whole.longValue();
      case BigInteger whole -> throw beyond(path);
      case BigDecimal decimal -> checkReal(decimal.doubleValue(), path);
      default -> checkReal(number.doubleValue(), path);
    };
  }

  private static Long checkWhole(Long number, String path) {
    if (Math.abs(number) <= INTEGER_MAX && number != Long.MIN_VALUE) {
      return number;
    }
    throw beyond(path);
  }

  private static SerializationException beyond(String path) {
    return new SerializationException(path + " is beyond ±(2^53 - 1); use text");
  }

  private static Double checkReal(Double number, String path) {
    if (Double.isFinite(number)) {
      return number;
    }
    throw new SerializationException(path + " is " + number + "; use null or text");
  }

  private static String checkText(String text, String path) {
    for (int at = 0; at < text.length(); at++) {
      char next = text.charAt(at);
      if (next == 0 || isLone(text, at)) {
        throw new SerializationException(path + " has U+0000 or a lone surrogate; remove it");
      }
    }
    return text;
  }

  private static boolean isLone(String text, int at) {
    char next = text.charAt(at);
    if (Character.isHighSurrogate(next)) {
      return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
    }
    return Character.isLowSurrogate(next)
        && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }

  private static String start(String path) {
    return path.length() <= 60 ? path : path.substring(0, 60) + "…";
  }
}
