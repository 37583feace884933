package io.svc.client;

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
   * @param filters such as {@code workflow_id}
   * @return the counts
   */
  public Map<String, Object> counts(Map<String, ?> filters) {
    return client.request("GET", "/executions/counts", filters, null);
  }
}
