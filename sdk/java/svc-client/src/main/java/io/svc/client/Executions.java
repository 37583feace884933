package io.svc.client;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The executions of the tenant. */
public final class Executions {
  private final SvcClient client;

  Executions(SvcClient client) {
    this.client = client;
  }

  /**
   * One execution.
   *
   * @param id the execution
   * @return {@code status}, {@code state}, {@code input}, and what it waits for
   */
  public Map<String, Object> get(String id) {
    return client.request("GET", "/executions/" + SvcClient.part(id), null, null);
  }

  /**
   * Executions, newest first. The stream reads page after page as it is consumed.
   *
   * @param filters such as {@code status}, {@code workflow_id} and {@code q}
   * @return one object each
   */
  public Stream<Map<String, Object>> list(Map<String, ?> filters) {
    return Pages.of(client, "/executions", "executions", filters);
  }

  /**
   * How many executions there are of each status.
   *
   * @param filters such as {@code workflow_id} and {@code q}
   * @return {@code total}, {@code is_exact}, {@code by_status} and {@code histogram}
   */
  public Map<String, Object> counts(Map<String, ?> filters) {
    return client.request("GET", "/executions/counts", filters, null);
  }

  /**
   * How many executions there are of each group.
   *
   * @param filters such as {@code workflow_id} and {@code q}
   * @param groupBy {@code status}, {@code workflow}, {@code version}, or a label such as {@code
   *     labels.customer}
   * @return as {@link #counts(Map)}, and {@code groups}: the largest groups, each with {@code value}
   *     and {@code count}; the value is null for executions without the label
   */
  public Map<String, Object> counts(Map<String, ?> filters, String groupBy) {
    Map<String, Object> query = new LinkedHashMap<>(filters);
    query.put("group_by", groupBy);
    return counts(query);
  }
}
