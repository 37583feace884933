package io.svc.client;

import io.svc.json.Json;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Lists that page by cursor. */
final class Pages {
  private static final int PAGE = 200;

  private Pages() {}

  static Stream<Map<String, Object>> of(
      SvcClient client, String path, String key, Map<String, ?> filters) {
    Map<String, Object> query = new LinkedHashMap<>();
    query.put("limit", PAGE);
    query.putAll(filters);
    Stream<Map<String, Object>> pages =
        Stream.iterate(
            client.request("GET", path, query, null),
            page -> page != null,
            page -> next(client, path, query, page));
    return pages.flatMap(page -> Json.asObjects(page.get(key)).stream());
  }

  private static Map<String, Object> next(
      SvcClient client, String path, Map<String, Object> query, Map<String, Object> page) {
    Object cursor = page.get("next_cursor");
    if (cursor == null) {
      return null;
    }
    query.put("cursor", cursor);
    return client.request("GET", path, query, null);
  }
}
