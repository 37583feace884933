package io.svc.worker;

import io.svc.errors.WorkerRefusedException;
import io.svc.internal.Signal;
import io.svc.internal.request.Answer;
import io.svc.internal.request.Api;
import io.svc.internal.request.NoAnswer;
import io.svc.internal.request.RetryLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Claims: a claim whose answer is lost is repeated under its id, so no attempt is used. */
final class Claims {
  private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

  /** A runtime that does not answer in that time takes the items back when their leases end. */
  private static final long GIVE_BACK_MS_MAX = 2000;

  private final Api api;
  private final Map<String, Object> facts;
  private final System.Logger logger;
  private volatile boolean isOfPlainRuntime;

  /** One claim, under an id that its repetitions keep. */
  record Claim(
      int itemsMax, Duration longPoll, String id, boolean isRepeated, boolean isLast) {
    Claim(int itemsMax, Duration longPoll) {
      this(itemsMax, longPoll, UUID.randomUUID().toString(), false, false);
    }

    Claim repeated() {
      return new Claim(itemsMax, longPoll, id, true, isLast);
    }

    /** The answer comes at once, so that the log says when the runtime is back. */
    Claim afterFailure() {
      return new Claim(itemsMax, Duration.ZERO, id, true, isLast);
    }

    /** The worker stops, and no longer counts among those that claim. */
    Claim toGiveBack() {
      return new Claim(1, Duration.ZERO, id, true, true);
    }
  }

  /** The facts are the members of every claim, which name the worker and its tools. */
  Claims(Api api, Map<String, Object> facts, System.Logger logger) {
    this.api = api;
    this.facts = facts;
    this.logger = logger;
  }

  /**
   * A runtime that knows only the calls of the contract answers with one item, and takes none back.
   * It has no count of workers, and would lease an item to the claim that says that one stops.
   */
  boolean isOfPlainRuntime() {
    return isOfPlainRuntime;
  }

  /** Claims with reports, which the runtime serves first. */
  Answer carry(Claim claim, List<Map<String, Object>> reports) throws NoAnswer {
    Map<String, Object> body = bodyOf(claim);
    body.remove("wait_ms");
    body.put("reports", reports);
    return api.post("/work-items/claim", body, ANSWER_MAX);
  }

  /** Null when the signal is set first: the runtime may have leased items to the claim. */
  List<WorkItem> untilAnswered(Claim claim, Signal stopping) {
    Claim asked = claim;
    Duration within = claim.longPoll.plus(ANSWER_MAX);
    RetryLog retries = new RetryLog(logger, "cannot claim");
    while (!stopping.isSet()) {
      try {
        Answer answer = api.send("POST", "/work-items/claim", bodyOf(asked), within, stopping);
        if (answer == null) {
          return null;
        }
        if (answer.status() != 200) {
          throw api.refusal(answer);
        }
        if (retries.failures() > 0) {
          logger.log(Level.INFO, "the runtime answers again");
        }
        isOfPlainRuntime = !(answer.body().get("work_items") instanceof List<?>);
        return WorkItem.read(answer.body());
      } catch (NoAnswer error) {
        asked = claim.afterFailure();
        retries.failed(error);
        stopping.await(error.pauseMs(retries.failures()));
      }
    }
    return null;
  }

  /**
   * Says that the worker stops: from then on it no longer counts among those that claim. Releases
   * what the runtime has leased to a claim whose answer nobody waited for. An older runtime may
   * answer with one new item, which goes back too.
   */
  void giveBack(Claim claim, Reports reports) {
    Signal over = new Signal();
    CompletableFuture.delayedExecutor(GIVE_BACK_MS_MAX, TimeUnit.MILLISECONDS)
        .execute(() -> over.set(new IllegalStateException("the runtime does not answer")));
    try {
      List<WorkItem> items = untilAnswered(claim.toGiveBack(), over);
      if (items != null) {
        releaseAll(
            items.stream().map(item -> new Held(api, reports, item, over, logger)).toList());
      }
    } catch (WorkerRefusedException error) {
      // A runtime that refuses the claim has leased nothing to this worker.
      return;
    }
  }

  /** Side by side, so that the releases travel together. */
  private static void releaseAll(List<Held> items) {
    List<CompletableFuture<Void>> releases = new ArrayList<>();
    for (Held item : items) {
      releases.add(
          CompletableFuture.runAsync(item::release, one -> Thread.ofVirtual().start(one)));
    }
    releases.forEach(CompletableFuture::join);
  }

  private Map<String, Object> bodyOf(Claim claim) {
    Map<String, Object> body = new LinkedHashMap<>(facts);
    body.put("wait_ms", claim.longPoll.toMillis());
    body.put("max_items", claim.itemsMax);
    body.put("claim_id", claim.id);
    if (claim.isRepeated) {
      body.put("repeated", true);
    }
    if (claim.isLast) {
      body.put("last", true);
    }
    return body;
  }
}
