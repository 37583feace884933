package io.svc.client;

import java.util.Map;
import java.util.stream.Stream;

/** The dead letters and failed executions of the tenant, by cause. */
public final class Failures {
  private final SvcClient client;

  Failures(SvcClient client) {
    this.client = client;
  }

  /**
   * Groups of failures, the largest first. The stream reads page after page as it is consumed.
   *
   * @param filters such as {@code q}, {@code within_hours} and {@code members}
   * @return one object each: {@code cause}, {@code node_id}, {@code tool}, {@code count}, {@code
   *     first_at}, {@code last_at} and the latest {@code members}
   */
  public Stream<Map<String, Object>> list(Map<String, ?> filters) {
    return Pages.of(client, "/failures", "groups", filters);
  }

  /**
   * All failures of a group, the latest first.
   *
   * @param id the {@code id} of a group that was listed with the same filters
   * @param filters such as {@code q} and {@code within_hours}
   * @return one object each
   */
  public Stream<Map<String, Object>> ofGroup(String id, Map<String, ?> filters) {
    return Pages.of(client, "/failures/" + SvcClient.part(id), "failures", filters);
  }
}
