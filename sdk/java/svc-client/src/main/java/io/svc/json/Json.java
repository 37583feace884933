package io.svc.json;

import io.svc.errors.SerializationException;
import java.lang.reflect.Type;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads and writes JSON.
 *
 * <p>A value of JSON is a {@code Map<String, Object>}, a {@code List<Object>}, a {@link String}, a
 * {@link Long}, a {@link Double}, a {@link Boolean} or null. {@link #toJson} makes such a value of
 * records, enums, optionals and times; {@link #decode} makes those of it.
 */
public final class Json {
  /** Maps and lists in each other beyond this depth are refused, in both directions. */
  public static final int DEPTH_MAX = 256;

  private Json() {}

  /**
   * Reads a text.
   *
   * @param text one value of JSON
   * @return the value
   * @throws JsonException if the text is no JSON, or nests deeper than {@link #DEPTH_MAX}
   */
  public static Object parse(String text) {
    return new JsonReader(text).read();
  }

  /**
   * Reads bytes in UTF-8.
   *
   * @param bytes one value of JSON
   * @return the value
   * @throws JsonException if the bytes are no UTF-8 or no JSON
   */
  public static Object parse(byte[] bytes) {
    try {
      return parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException error) {
      throw new JsonException("the text is not UTF-8", error);
    }
  }

  /**
   * Writes a value, by the rules of {@link #toJson}.
   *
   * @param value the value
   * @return its JSON, without spaces
   * @throws SerializationException for what JSON cannot hold
   */
  public static String write(Object value) {
    return JsonWriter.write(toJson(value, "value"));
  }

  /**
   * Copies a value as a reader of its JSON gets it.
   *
   * @param value maps with keys of text, collections, arrays, records, enums, optionals, text,
   *     numbers, booleans, {@code java.time} values, {@code UUID}, {@code URI} or null
   * @param name begins the path in messages
   * @return a new value of maps, lists, text, numbers, booleans and null
   * @throws SerializationException for what JSON cannot hold; the message names its place
   */
  public static Object toJson(Object value, String name) {
    return new JsonEncoder().encode(value, name, 0);
  }

  /**
   * The same for a value that must be an object; null is an empty one.
   *
   * @param value the value
   * @param what begins the message, such as "The output"
   * @return the members
   * @throws SerializationException if it is something else than an object
   */
  public static Map<String, Object> requireObject(Object value, String what) {
    Object copy = value == null ? Map.of() : toJson(value, "value");
    if (copy instanceof Map<?, ?> map) {
      return asObject(map);
    }
    throw new SerializationException(
        what + " must be a JSON object, not " + value.getClass().getSimpleName());
  }

  /**
   * A value of JSON as a type.
   *
   * @param <T> the type
   * @param type a record, an enum, a number, text, {@code Map}, {@code Object} …
   * @param value what {@link #parse} gives
   * @return the value; null for null
   * @throws JsonException if the value has another shape
   */
  public static <T> T decode(Class<T> type, Object value) {
    @SuppressWarnings("unchecked")
    T decoded = (T) decode((Type) type, value, "value");
    return decoded;
  }

  /**
   * A value of JSON as a type with parameters.
   *
   * @param <T> the type
   * @param type such as {@code new TypeRef<List<Order>>() {}}
   * @param value what {@link #parse} gives
   * @return the value; null for null
   * @throws JsonException if the value has another shape
   */
  public static <T> T decode(TypeRef<T> type, Object value) {
    @SuppressWarnings("unchecked")
    T decoded = (T) decode(type.type(), value, "value");
    return decoded;
  }

  /**
   * A value of JSON as any type.
   *
   * @param type the type
   * @param value what {@link #parse} gives
   * @param name begins the path in messages
   * @return the value; null for null, and an empty optional where an optional is asked for
   * @throws JsonException if the value has another shape
   */
  public static Object decode(Type type, Object value, String name) {
    return JsonDecoder.decode(type, value, name);
  }

  /**
   * A map of which the caller knows that it is an object of JSON.
   *
   * @param value a map with keys of text
   * @return the same map
   */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> asObject(Object value) {
    return (Map<String, Object>) value;
  }

  /**
   * A list of which the caller knows that it has objects of JSON.
   *
   * @param value a list of maps with keys of text
   * @return the same list
   */
  @SuppressWarnings("unchecked")
  public static List<Map<String, Object>> asObjects(Object value) {
    return (List<Map<String, Object>>) value;
  }

  /**
   * A map in the order of its arguments, without the members that are null.
   *
   * @param members keys and values in turn
   * @return a new map
   */
  public static Map<String, Object> object(Object... members) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int at = 0; at < members.length; at += 2) {
      if (members[at + 1] != null) {
        map.put((String) members[at], members[at + 1]);
      }
    }
    return map;
  }
}
