package io.svc.client;

import io.svc.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The events of an execution. */
final class History {
  private static final int PAGE = 500;

  private History() {}

  static List<Map<String, Object>> read(SvcClient client, String path) {
    List<Map<String, Object>> events = new ArrayList<>();
    Object after = 0;
    while (true) {
      Map<String, Object> page =
          client.request("GET", path, Map.of("after", after, "limit", PAGE), null);
      List<Map<String, Object>> found = Json.asObjects(page.get("events"));
      events.addAll(found);
      if (found.size() < PAGE) {
        return events;
      }
      after = found.getLast().get("sequence");
    }
  }
}
