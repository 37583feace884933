package io.svc.worker;

import io.svc.internal.Signal;
import io.svc.internal.request.Answer;
import io.svc.internal.request.Api;
import io.svc.internal.request.NoAnswer;
import io.svc.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A worker's calls for its items.
 *
 * <p>Calls that are made while others are under way gather, and travel together: one request
 * carries up to 100. A call that ends an item frees its place, so the request that carries it also
 * claims an item for that place.
 */
final class Reports {
  /** As many requests are under way before reports wait for each other. */
  private static final int LANES = 2;

  private static final int REPORTS_MAX = 100;
  private static final int CHARS_MAX = 256 * 1024;
  private static final Set<String> ENDS_ITEM = Set.of("continue", "complete", "fail", "release");
  private final Api api;
  private final String workerId;
  private final Carry carry;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int underWay;

  /** Sends reports with a claim for as many items; the answer is that of the claim. */
  interface Carry {
    boolean isPossible();

    Answer send(List<Map<String, Object>> reports, int places) throws NoAnswer;
  }

  /** One call: its kind is the last part of its path. */
  record Report(String kind, String itemId, Map<String, Object> members) {
    Map<String, Object> toBody() {
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("kind", kind);
      body.put("work_item_id", itemId);
      body.putAll(members);
      return body;
    }
  }

  private record Waiting(
      Report report, int size, boolean isFreeingPlace, CompletableFuture<Answer> answer) {}

  Reports(Api api, String workerId, Carry carry) {
    this.api = api;
    this.workerId = workerId;
    this.carry = carry;
  }

  /** Null when the lease is lost first. */
  Answer sendUntilAnswered(Report report, Signal lost, boolean isPlaceClaimed) {
    for (int failures = 0; !lost.isSet(); ) {
      boolean isFreeing = ENDS_ITEM.contains(report.kind) && failures == 0 && !isPlaceClaimed;
      try {
        return send(report, isFreeing).afterUnknown(failures > 0);
      } catch (NoAnswer error) {
        lost.await(error.pauseMs(++failures));
      }
    }
    return null;
  }

  private Answer send(Report report, boolean isFreeingPlace) throws NoAnswer {
    int size = Json.write(report.members).length();
    Waiting one = new Waiting(report, size, isFreeingPlace, new CompletableFuture<>());
    add(one);
    try {
      return one.answer.join();
    } catch (CompletionException error) {
      if (error.getCause() instanceof NoAnswer cause) {
        throw cause;
      }
      throw (RuntimeException) error.getCause();
    }
  }

  private synchronized void add(Waiting one) {
    waiting.add(one);
    if (underWay < LANES) {
      underWay++;
      Thread.ofVirtual().name("svc-reports").start(this::serveLane);
    }
  }

  private void serveLane() {
    for (List<Waiting> batch = takeBatch(); !batch.isEmpty(); batch = takeBatch()) {
      exchange(batch);
    }
  }

  /** An empty one ends the lane. */
  private synchronized List<Waiting> takeBatch() {
    List<Waiting> batch = new ArrayList<>();
    int chars = 0;
    while (!waiting.isEmpty() && batch.size() < REPORTS_MAX) {
      chars += waiting.peek().size;
      if (!batch.isEmpty() && chars > CHARS_MAX) {
        break;
      }
      batch.add(waiting.poll());
    }
    if (batch.isEmpty()) {
      underWay--;
    }
    return batch;
  }

  private void exchange(List<Waiting> batch) {
    try {
      List<Answer> answers = together(batch);
      if (answers == null) {
        batch.forEach(this::sendAlone);
        return;
      }
      for (int at = 0; at < batch.size(); at++) {
        settle(batch.get(at), answers.get(at));
      }
    } catch (NoAnswer | RuntimeException error) {
      batch.forEach(one -> one.answer.completeExceptionally(error));
    }
  }

  /** Null: the runtime does not take reports that travel together, or not these. */
  private List<Answer> together(List<Waiting> batch) throws NoAnswer {
    List<Map<String, Object>> reports = batch.stream().map(one -> one.report.toBody()).toList();
    int places = (int) batch.stream().filter(Waiting::isFreeingPlace).count();
    if (places > 0 && carry.isPossible()) {
      return resultsIn(carry.send(reports, places), batch.size());
    }
    if (batch.size() == 1) {
      return null;
    }
    Map<String, Object> body = Json.object("worker_id", workerId, "reports", reports);
    return resultsIn(api.post("/work-items/report", body, Api.ANSWER_MAX), batch.size());
  }

  private void sendAlone(Waiting one) {
    Map<String, Object> body = Json.object("worker_id", workerId);
    body.putAll(one.report.members);
    try {
      String path = "/work-items/" + one.report.itemId + "/" + one.report.kind;
      settle(one, api.post(path, body, Api.ANSWER_MAX));
    } catch (NoAnswer | RuntimeException error) {
      one.answer.completeExceptionally(error);
    }
  }

  /** Null: the answer has no result for each report. */
  static List<Answer> resultsIn(Answer answer, int count) {
    boolean isFull =
        answer.status() == 200
            && answer.body().get("results") instanceof List<?> results
            && results.size() == count;
    if (!isFull) {
      return null;
    }
    return Json.asObjects(answer.body().get("results")).stream().map(Reports::readResult).toList();
  }

  private static Answer readResult(Map<String, Object> result) {
    int status = result.get("status") instanceof Long number ? number.intValue() : 500;
    Object body = result.get("body");
    return new Answer(status, body == null ? Map.of() : Json.asObject(body));
  }

  private static void settle(Waiting one, Answer answer) {
    if (Answer.isUnknown(answer.status())) {
      String message = "the runtime answered " + answer.status();
      one.answer.completeExceptionally(new NoAnswer(message, 0));
    } else {
      one.answer.complete(answer);
    }
  }
}
