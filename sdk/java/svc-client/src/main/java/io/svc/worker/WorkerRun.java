package io.svc.worker;

import io.svc.errors.Cancelled;
import io.svc.errors.WorkerRefusedException;
import io.svc.functions.DurableFunction;
import io.svc.internal.ItemLogger;
import io.svc.internal.Signal;
import io.svc.internal.request.Answer;
import io.svc.internal.request.Api;
import io.svc.internal.request.NoAnswer;
import io.svc.internal.request.RetryLog;
import io.svc.json.Json;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One run of a worker: it claims as many items as it has room for, with one long poll, and works on
 * them side by side, each on a virtual thread.
 *
 * <p>Each item ends in one of these ways: complete, continue, fail, suspend, release, or, after a
 * lost lease, none of them. Stopping ends the claims at once. Items under way may finish until the
 * deadline, and the worker then releases the rest.
 */
final class WorkerRun implements Reports.Carry {
  private static final Duration LONG_POLL = Duration.ofSeconds(20);
  private static final int ITEMS_MAX = 100;
  private static final String MAY_NOT_REGISTER =
      "the token may not register functions: register them once with a token of the role developer"
          + " or operator: ";
  private final Settings settings;
  private final System.Logger logger;
  private final Api api;
  private final Claims claims;
  private final Heartbeats heartbeats;
  private final Reports reports;
  private final Places places;
  private final Signal stopping = new Signal();
  private final Signal deadline = new Signal();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> unanswered = new CompletableFuture<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicReference<WorkerRefusedException> refused = new AtomicReference<>();
  private final boolean isOnce;

  /** The runtime counts the worker among those that claim, until it says that it stops. */
  private volatile boolean isCounted;

  WorkerRun(Settings settings, boolean isOnce) {
    this.settings = settings;
    this.isOnce = isOnce;
    logger = settings.logger();
    api = new Api(settings.address());
    claims = new Claims(api, settings.claimFacts(), logger);
    heartbeats = new Heartbeats(settings.address(), settings.workerId(), logger);
    reports = new Reports(api, settings.workerId(), this);
    places = new Places(settings.concurrency());
  }

  /** Works until it is stopped, or once; gives the number of items. */
  int work() {
    try {
      register();
      if (!stopping.isSet()) {
        ready.complete(null);
        logger.log(Level.INFO, "the worker " + settings.workerId() + " claims at " + api.url());
      }
      while (!stopping.isSet()) {
        if (claimAndBegin() == 0 && isOnce) {
          break;
        }
      }
    } catch (WorkerRefusedException error) {
      end(error);
    } catch (RuntimeException | Error error) {
      logger.log(Level.ERROR, "the worker " + settings.workerId() + " stops", error);
      throw error;
    } finally {
      beginStop();
      try {
        sayThatItStops();
        places.awaitEmpty();
        // The runtime may have served the claim of a report after that, and counted the worker
        // again.
        sayThatItStops();
      } finally {
        places.awaitEmpty();
        heartbeats.close();
        api.close();
        logger.log(Level.INFO, "the worker " + settings.workerId() + " has stopped");
      }
    }
    if (refused.get() != null) {
      throw refused.get();
    }
    return count.get();
  }

  /** Completes when the functions are registered, or with the outcome if the worker ends before. */
  CompletableFuture<Object> ready(CompletableFuture<Integer> outcome) {
    return CompletableFuture.anyOf(ready, outcome);
  }

  /** The same, or when a registration got no answer. */
  CompletableFuture<Object> tried(CompletableFuture<Integer> outcome) {
    return CompletableFuture.anyOf(ready, unanswered, outcome);
  }

  void beginStop() {
    if (stopping.isSet()) {
      return;
    }
    stopping.set(new Cancelled("the worker stops"));
    places.stopWaiting();
    CompletableFuture.delayedExecutor(settings.stopTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .execute(
            () ->
                deadline.set(
                    new Cancelled("the worker stops, and the time for its work is up")));
  }

  @Override
  public boolean isPossible() {
    return !isOnce && !stopping.isSet();
  }

  @Override
  public Answer send(List<Map<String, Object>> carried, int count) throws NoAnswer {
    Claims.Claim claim = new Claims.Claim(count, Duration.ZERO);
    Answer answer;
    try {
      answer = claims.carry(claim, carried);
    } catch (NoAnswer error) {
      claimAgain(claim.repeated());
      throw error;
    }
    if (answer.status() == 200) {
      begin(WorkItem.read(answer.body()));
    }
    return answer;
  }

  /** A token of the role worker may not register: the worker serves what others registered. */
  private void register() {
    if (!settings.isRegistering()) {
      return;
    }
    Set<String> refusedNames = new TreeSet<>();
    for (DurableFunction<?, ?> function : settings.functions().values()) {
      Answer answer = sendRegistration(function);
      if (answer == null) {
        return;
      }
      if (answer.status() == 403) {
        refusedNames.add(function.name());
      } else if (answer.status() >= 300 && answer.status() != 409) {
        throw api.refusal(answer);
      }
      logWarnings(function.name(), answer);
    }
    if (!refusedNames.isEmpty()) {
      logger.log(Level.WARNING, MAY_NOT_REGISTER + String.join(", ", refusedNames));
    }
  }

  /** Members of the workflow that the runtime does not know, and ignores. */
  private void logWarnings(String name, Answer answer) {
    if (answer.body().get("warnings") instanceof List<?> warnings) {
      for (Object one : warnings) {
        Map<String, Object> warning = Json.asObject(one);
        logger.log(
            Level.WARNING,
            "the function " + name + ": " + warning.get("message") + " (at "
                + warning.get("pointer") + ")");
      }
    }
  }

  /** Null when the worker stops first. */
  private Answer sendRegistration(DurableFunction<?, ?> function) {
    Map<String, Object> body = Map.of("ir", function.toIr());
    RetryLog retries = new RetryLog(logger, "cannot register");
    while (!stopping.isSet()) {
      try {
        return api.send("POST", "/workflows", body, Api.ANSWER_MAX, stopping);
      } catch (NoAnswer error) {
        retries.failed(error);
        unanswered.complete(null);
        stopping.await(error.pauseMs(retries.failures()));
      }
    }
    return null;
  }

  /** The number of items; negative: there may be more in a moment. */
  private int claimAndBegin() {
    int free = places.awaitFree();
    if (stopping.isSet()) {
      return 0;
    }
    boolean wasBusy = !places.isEmpty();
    Duration longPoll = isOnce ? Duration.ZERO : LONG_POLL;
    long asked = System.nanoTime();
    int found = claim(new Claims.Claim(Math.min(free, ITEMS_MAX), longPoll));
    if (found == 0 && System.nanoTime() - asked < longPoll.toNanos() / 2) {
      // A runtime that knows no long polls answers at once.
      stopping.await(NoAnswer.backOffMs(2));
    }
    if (found == 0 && wasBusy && isOnce) {
      places.awaitChange();
      return -1;
    }
    return found;
  }

  private int claim(Claims.Claim claim) {
    List<WorkItem> items = claims.untilAnswered(claim, stopping);
    if (items == null) {
      leave(claim);
      return 0;
    }
    begin(items);
    return items.size();
  }

  /** Nothing else says so if no claim is open, such as when all places are taken. */
  private void sayThatItStops() {
    // A worker that runs once comes back later: it counts as long as others do.
    if (isCounted && !isOnce && refused.get() == null) {
      leave(new Claims.Claim(1, Duration.ZERO));
    }
  }

  /** The claim is the one that the stop has interrupted, or a new one. */
  private void leave(Claims.Claim claim) {
    isCounted = false;
    if (!claims.isOfPlainRuntime()) {
      claims.giveBack(claim, reports);
    }
  }

  /** Claims again what the claim has leased, if anything, as its answer did not come. */
  private void claimAgain(Claims.Claim claim) {
    places.take(claim.itemsMax());
    Thread.ofVirtual()
        .name("svc-claim-again")
        .start(
            () -> {
              try {
                claim(claim);
              } catch (WorkerRefusedException error) {
                refuse(error);
              } finally {
                places.free(claim.itemsMax());
              }
            });
  }

  private void begin(List<WorkItem> items) {
    isCounted = !claims.isOfPlainRuntime();
    places.take(items.size());
    for (WorkItem item : items) {
      Thread.ofVirtual().name("svc-item-" + item.name()).start(() -> workOn(item));
    }
  }

  /** Never throws: what the runtime refuses stops the worker. */
  private void workOn(WorkItem item) {
    count.incrementAndGet();
    ItemLogger own = new ItemLogger(logger, item.facts());
    long began = System.nanoTime();
    try (Lease lease = new Lease(heartbeats, item, deadline)) {
      Ending ending = dispatch(item, lease, own);
      long milliseconds = (System.nanoTime() - began) / 1_000_000;
      Level level = ending.isBad() ? Level.WARNING : Level.INFO;
      own.log(level, "the item is " + ending + " after " + milliseconds + " ms");
    } catch (WorkerRefusedException error) {
      own.log(Level.ERROR, "the item is dropped: " + error.getMessage());
      refuse(error);
    } catch (RuntimeException | Error error) {
      own.log(Level.ERROR, "the item is dropped", error);
    } finally {
      places.free(1);
    }
  }

  private Ending dispatch(WorkItem item, Lease lease, ItemLogger own) {
    Held held = new Held(api, reports, item, lease.lost(), own);
    // A claim that was under way as the worker stopped has brought it.
    if (stopping.isSet()) {
      return held.release();
    }
    if (item.isFunction()) {
      DurableFunction<?, ?> function = settings.functions().get(item.name());
      return function == null
          ? held.release()
          : new FunctionCall(function, held, lease, own).run();
    }
    Tool tool = settings.tools().get(item.name());
    return tool == null ? held.release() : new ToolCall(tool, held, lease, own).run();
  }

  /** 401 and 403 are about the worker; the other answers are about one item. */
  private void refuse(WorkerRefusedException error) {
    if (error.status() == 401 || error.status() == 403) {
      end(error);
    }
  }

  /** The log says it at once: nobody may wait for the outcome of a worker that has started. */
  private void end(WorkerRefusedException error) {
    if (refused.compareAndSet(null, error)) {
      logger.log(
          Level.ERROR, "the worker " + settings.workerId() + " stops: " + error.getMessage());
    }
    beginStop();
  }
}
