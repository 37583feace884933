package io.svc.json;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** Values of JSON as Java's types. */
final class JsonDecoder {
  private static final Map<Class<?>, Function<String, Object>> FROM_TEXT =
      Map.ofEntries(
          Map.entry(String.class, text -> text),
          Map.entry(CharSequence.class, text -> text),
          Map.entry(UUID.class, UUID::fromString),
          Map.entry(URI.class, URI::create),
          Map.entry(Duration.class, Duration::parse),
          Map.entry(Instant.class, text -> OffsetDateTime.parse(text).toInstant()),
          Map.entry(OffsetDateTime.class, OffsetDateTime::parse),
          Map.entry(ZonedDateTime.class, ZonedDateTime::parse),
          Map.entry(LocalDate.class, LocalDate::parse),
          Map.entry(LocalTime.class, LocalTime::parse),
          Map.entry(LocalDateTime.class, LocalDateTime::parse));

  private JsonDecoder() {}

  static Object decode(Type type, Object value, String path) {
    return switch (type) {
      case Class<?> plain -> decodeClass(plain, value, path);
      case ParameterizedType generic -> decodeGeneric(generic, value, path);
      case GenericArrayType array ->
          decodeArray(array.getGenericComponentType(), value, path);
      case WildcardType wildcard -> decode(wildcard.getUpperBounds()[0], value, path);
      case TypeVariable<?> variable -> decode(variable.getBounds()[0], value, path);
      default -> throw new JsonException(path + " has a type that JSON cannot give: " + type);
    };
  }

  private static Object decodeClass(Class<?> type, Object value, String path) {
    if (type == Optional.class) {
      return Optional.ofNullable(value);
    }
    if (type == void.class || type == Void.class) {
      return null;
    }
    if (value == null) {
      if (type.isPrimitive()) {
        throw new JsonException(path + " is missing or null, and must be " + nameOf(type));
      }
      return null;
    }
    if (type.isInstance(value)) {
      return value;
    }
    if (type.isRecord()) {
      return decodeRecord(type, value, path);
    }
    if (type.isEnum()) {
      return decodeEnum(type, value, path);
    }
    if (FROM_TEXT.containsKey(type)) {
      return decodeText(type, value, path);
    }
    if (type.isArray()) {
      return decodeArray(type.getComponentType(), value, path);
    }
    if (Collection.class.isAssignableFrom(type)) {
      return decodeItems(type, Object.class, value, path);
    }
    return decodeScalar(type, value, path);
  }

  private static Object decodeScalar(Class<?> type, Object value, String path) {
    if ((type == boolean.class || type == Boolean.class) && value instanceof Boolean) {
      return value;
    }
    Object number = value instanceof Number given ? Numbers.as(type, given) : null;
    if (number == null) {
      throw wrong(type, value, path);
    }
    return number;
  }

  private static Object decodeGeneric(ParameterizedType type, Object value, String path) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Optional.class) {
      return Optional.ofNullable(value == null ? null : decode(arguments[0], value, path));
    }
    if (value == null) {
      return null;
    }
    if (Map.class.isAssignableFrom(raw)) {
      return decodeMap(arguments, value, path);
    }
    if (Collection.class.isAssignableFrom(raw) || raw == Iterable.class) {
      return decodeItems(raw, arguments[0], value, path);
    }
    return decodeClass(raw, value, path);
  }

  private static Object decodeRecord(Class<?> type, Object value, String path) {
    if (!(value instanceof Map<?, ?> members)) {
      throw wrong(type, value, path);
    }
    RecordComponent[] components = type.getRecordComponents();
    Object[] arguments = new Object[components.length];
    for (int at = 0; at < components.length; at++) {
      String name = Records.nameOf(components[at]);
      Type wanted = components[at].getGenericType();
      arguments[at] = decode(wanted, members.get(name), path + "." + name);
    }
    return Records.create(type, arguments, path);
  }

  private static Object decodeEnum(Class<?> type, Object value, String path) {
    for (Object constant : type.getEnumConstants()) {
      if (Records.nameOf((Enum<?>) constant).equals(value)) {
        return constant;
      }
    }
    throw new JsonException(path + " is no " + type.getSimpleName() + ": " + value);
  }

  private static Object decodeText(Class<?> type, Object value, String path) {
    if (!(value instanceof String text)) {
      throw wrong(type, value, path);
    }
    try {
      return FROM_TEXT.get(type).apply(text);
    } catch (DateTimeException | IllegalArgumentException error) {
      throw new JsonException(path + " is no " + type.getSimpleName() + ": " + text, error);
    }
  }

  private static Object decodeMap(Type[] arguments, Object value, String path) {
    if (!(value instanceof Map<?, ?> members)) {
      throw wrong(Map.class, value, path);
    }
    Map<Object, Object> map = new LinkedHashMap<>();
    members.forEach(
        (key, member) ->
            map.put(
                decode(arguments[0], key, path + " key"),
                decode(arguments[1], member, path + "." + key)));
    return map;
  }

  private static Object decodeItems(Class<?> type, Type item, Object value, String path) {
    List<Object> items = itemsOf(type, item, value, path);
    return Set.class.isAssignableFrom(type) ? new LinkedHashSet<>(items) : items;
  }

  private static Object decodeArray(Type item, Object value, String path) {
    List<Object> items = itemsOf(List.class, item, value, path);
    Type plain = item instanceof ParameterizedType type ? type.getRawType() : item;
    Class<?> raw = (Class<?>) plain;
    Object array = Array.newInstance(raw, items.size());
    for (int at = 0; at < items.size(); at++) {
      Array.set(array, at, items.get(at));
    }
    return array;
  }

  private static List<Object> itemsOf(Class<?> type, Type item, Object value, String path) {
    if (!(value instanceof List<?> given)) {
      throw wrong(type, value, path);
    }
    List<Object> items = new ArrayList<>(given.size());
    for (Object one : given) {
      items.add(decode(item, one, path + "[" + items.size() + "]"));
    }
    return items;
  }

  private static JsonException wrong(Class<?> type, Object value, String path) {
    return new JsonException(path + " must be " + nameOf(type) + ", not " + kindOf(value));
  }

  private static String nameOf(Class<?> type) {
    if (type.isRecord() || type == Map.class) {
      return "an object";
    }
    if (type == BigDecimal.class || type == BigInteger.class) {
      return "a number";
    }
    return Collection.class.isAssignableFrom(type) ? "a list" : type.getSimpleName();
  }

  private static String kindOf(Object value) {
    return switch (value) {
      case Map<?, ?> map -> "an object";
      case List<?> list -> "a list";
      case String text -> "text";
      case Boolean flag -> "a boolean";
      case null -> "null";
      default -> "the number " + value;
    };
  }
}
