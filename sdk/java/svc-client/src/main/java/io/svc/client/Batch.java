package io.svc.client;

import io.svc.errors.Refusal;
import io.svc.errors.SvcException;
import io.svc.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Many starts in one request. Those whose verdict may be another one later are sent again. */
final class Batch {
  static final int ENTRIES_MAX = 1000;
  private final SvcClient client;
  private final Explain explain;
  private final RetryPolicy retry;
  private final List<Map<String, Object>> entries;
  private final StartVerdict[] verdicts;

  Batch(SvcClient client, Explain explain, RetryPolicy retry, List<StartEntry> entries) {
    this.client = client;
    this.explain = explain;
    this.retry = retry;
    this.entries = entries.stream().map(StartEntry::toBody).toList();
    this.verdicts = new StartVerdict[entries.size()];
  }

  List<StartVerdict> start() {
    List<Integer> waiting = IntStream.range(0, entries.size()).boxed().toList();
    for (int made = 1; !waiting.isEmpty(); made++) {
      List<Map<String, Object>> results = send(waiting);
      List<Integer> again = new ArrayList<>();
      Duration longest = Duration.ZERO;
      for (int at = 0; at < results.size(); at++) {
        verdicts[waiting.get(at)] = verdictOf(results.get(at));
        Optional<Duration> delay = delayAfter(results.get(at), made);
        if (delay.isPresent()) {
          again.add(waiting.get(at));
          longest = longest.compareTo(delay.get()) > 0 ? longest : delay.get();
        }
      }
      waiting = again.isEmpty() || !SvcClient.pause(longest) ? List.of() : again;
    }
    return Arrays.asList(verdicts);
  }

  private List<Map<String, Object>> send(List<Integer> waiting) {
    Map<String, Object> body = Map.of("executions", waiting.stream().map(entries::get).toList());
    Map<String, Object> answer = client.request("POST", "/executions/batch", null, body);
    return Json.asObjects(answer.get("results"));
  }

  private static StartVerdict verdictOf(Map<String, Object> result) {
    return new StartVerdict(
        statusOf(result),
        Optional.ofNullable((String) result.get("execution_id")),
        Optional.ofNullable((String) result.get("error")));
  }

  /** Empty: the verdict is final. */
  private Optional<Duration> delayAfter(Map<String, Object> result, int made) {
    if (!(result.get("error") instanceof String said)) {
      return Optional.empty();
    }
    Duration after =
        result.get("retry_after_seconds") instanceof Long seconds
            ? Duration.ofSeconds(seconds)
            : null;
    int status = statusOf(result);
    Refusal refusal = new Refusal(Explain.codeOf(null, status), status, null, null);
    SvcException error = explain.refuse(said, refusal, after);
    return retry.delayAfter(error, made, true);
  }

  private static int statusOf(Map<String, Object> result) {
    return ((Number) result.get("status")).intValue();
  }
}
