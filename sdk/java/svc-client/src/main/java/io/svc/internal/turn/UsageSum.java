package io.svc.internal.turn;

import io.svc.functions.Usage;
import io.svc.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Model usage that the attempts of a step report. */
final class UsageSum {
  private final List<Usage> reports = new ArrayList<>();

  synchronized void add(Usage usage) {
    reports.add(usage);
  }

  /**
   * The sum has a cost if each report has one, and a model if all reports name the same. Null: no
   * attempt has reported any.
   */
  synchronized Map<String, Object> sum() {
    if (reports.isEmpty()) {
      return null;
    }
    List<String> models = reports.stream().map(Usage::model).distinct().toList();
    boolean isPriced = reports.stream().map(Usage::costUsd).allMatch(Objects::nonNull);
    return Json.object(
        "input_tokens", reports.stream().mapToLong(Usage::inputTokens).sum(),
        "output_tokens", reports.stream().mapToLong(Usage::outputTokens).sum(),
        "model", models.size() == 1 ? models.getFirst() : null,
        "cost_usd", isPriced ? reports.stream().mapToDouble(Usage::costUsd).sum() : null);
  }

  void addTo(Map<String, Object> entry) {
    Map<String, Object> sum = sum();
    if (sum != null) {
      entry.put("usage", sum);
    }
  }
}
