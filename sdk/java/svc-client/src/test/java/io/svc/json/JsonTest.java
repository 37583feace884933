package io.svc.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.errors.SerializationException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  enum Size {
    SMALL,
    @JsonName("x-large")
    LARGE
  }

  record Line(String sku, int count) {}

  record Order(
      @JsonName("order_id") UUID id,
      Size size,
      Instant at,
      Duration within,
      Optional<String> note,
      List<Line> lines,
      Map<String, BigDecimal> prices,
      double[] weights) {}

  record Positive(int value) {
    Positive {
      if (value <= 0) {
        throw new IllegalArgumentException("it must be positive");
      }
    }
  }

  @Test
  void a_record_comes_back_as_it_was_written() {
    UUID id = UUID.randomUUID();
    Order order =
        new Order(
            id,
            Size.LARGE,
            Instant.parse("2026-01-02T03:04:05Z"),
            Duration.ofMinutes(5),
            Optional.empty(),
            List.of(new Line("a", 2)),
            Map.of("eur", new BigDecimal("12.5")),
            new double[] {1, 2.5});

    String text = Json.write(order);

    assertEquals(
        "{\"order_id\":\""
            + id
            + "\",\"size\":\"x-large\",\"at\":\"2026-01-02T03:04:05Z\",\"within\":\"PT5M\","
            + "\"note\":null,\"lines\":[{\"sku\":\"a\",\"count\":2}],\"prices\":{\"eur\":12.5},"
            + "\"weights\":[1,2.5]}",
        text);
    Order read = Json.decode(Order.class, Json.parse(text));
    assertEquals(text, Json.write(read));
    assertEquals(order.lines(), read.lines());
    assertEquals(Size.LARGE, read.size());
  }

  @Test
  void parsing_gives_maps_lists_text_numbers_booleans_and_null() {
    Object value = Json.parse(" {\"a\": [1, -2.5e1, true, null, \"\\u00e9\\n\\\"\"], \"b\": {}} ");

    Map<String, Object> object = Json.asObject(value);
    assertEquals(List.of(1L, -25.0, true), ((List<?>) object.get("a")).subList(0, 3));
    assertNull(((List<?>) object.get("a")).get(3));
    assertEquals("é\n\"", ((List<?>) object.get("a")).get(4));
    assertEquals(Map.of(), object.get("b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "{", "[1,]", "{\"a\" 1}", "{a: 1}", "01", "1.", "-", ".5", "+1", "1e", "nul", "tru",
        "\"\\x\"", "\"\\u12\"", "\"open", "\"\t\"", "[1] 2", "1e999", "NaN", "'a'", "\"\\u١٢٣٤\""
      })
  void what_is_no_JSON_is_refused(String text) {
    assertThrows(JsonException.class, () -> Json.parse(text));
  }

  @Test
  void a_message_names_the_place_in_the_text() {
    JsonException error = assertThrows(JsonException.class, () -> Json.parse("[1, ?]"));

    assertEquals("the JSON has '?' where a value must be, at character 5", error.getMessage());
  }

  @Test
  void what_nests_too_deeply_is_refused_in_both_directions() {
    int depth = Json.DEPTH_MAX;
    assertTrue(Json.parse("[".repeat(depth) + "]".repeat(depth)) instanceof List<?>);
    assertThrows(
        JsonException.class, () -> Json.parse("[".repeat(depth + 1) + "]".repeat(depth + 1)));
    assertThrows(JsonException.class, () -> Json.parse("{\"a\":".repeat(100_000)));

    List<Object> itself = new ArrayList<>();
    itself.add(itself);
    assertThrows(SerializationException.class, () -> Json.write(itself));
  }

  @Test
  void what_JSON_cannot_hold_is_refused_with_its_place() {
    Map<String, Object> values =
        Map.of(
            "nan", Double.NaN,
            "big", 1L << 53,
            "zero", "a\0b",
            "lone", "\ud800",
            "bytes", new byte[] {1},
            "thread", Thread.currentThread(),
            "key", Map.of(1, 2));
    values.forEach(
        (name, value) -> {
          SerializationException error =
              assertThrows(
                  SerializationException.class, () -> Json.write(Map.of("a", List.of(1, value))));
          assertTrue(error.getMessage().startsWith("value.a[1] "), error.getMessage());
        });
  }

  @Test
  void a_value_of_another_shape_is_refused_with_its_place() {
    assertDecodeFails("value.count must be int, not text", "{\"count\": \"2\"}");
    assertDecodeFails("value.count must be int, not the number 2.5", "{\"count\": 2.5}");
    assertDecodeFails(
        "value.count must be int, not the number 4294967296", "{\"count\": 4294967296}");
    assertDecodeFails("value.count is missing or null, and must be int", "{}");
    assertDecodeFails("value must be an object, not a list", "[]");
    JsonException error =
        assertThrows(JsonException.class, () -> Json.decode(Size.class, "MEDIUM"));
    assertEquals("value is no Size: MEDIUM", error.getMessage());
  }

  @Test
  void the_constructor_of_a_record_may_refuse() {
    JsonException error =
        assertThrows(JsonException.class, () -> Json.decode(Positive.class, Map.of("value", 0L)));

    assertEquals("value is no Positive: it must be positive", error.getMessage());
  }

  @Test
  void a_type_with_parameters_is_decoded() {
    Map<String, List<Line>> lines =
        Json.decode(
            new TypeRef<Map<String, List<Line>>>() {},
            Json.parse("{\"a\": [{\"sku\": \"x\", \"count\": 1.0}]}"));

    assertEquals(Map.of("a", List.of(new Line("x", 1))), lines);
  }

  private static void assertDecodeFails(String message, String text) {
    JsonException error =
        assertThrows(JsonException.class, () -> Json.decode(Line.class, Json.parse(text)));
    assertEquals(message, error.getMessage());
  }
}
