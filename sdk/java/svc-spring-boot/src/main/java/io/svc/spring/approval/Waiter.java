package io.svc.spring.approval;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A call of this process that waits for a decision.
 *
 * @param executionId the runtime's id, or an id of this process if there is no execution
 * @param isLocal whether the decision can only be made in this process
 * @param request what reviewers see
 * @param news released for each decision that this process passes on
 * @param decided the decision of a call without an execution
 */
record Waiter(
    String executionId,
    boolean isLocal,
    Request request,
    Semaphore news,
    CompletableFuture<Verdict> decided) {

  /**
   * What reviewers see.
   *
   * @param prompt null where prompts are not shown
   */
  record Request(
      String workflowId, String sessionId, String prompt, Instant requestedAt, Instant expiresAt) {}

  static Waiter of(String executionId, boolean isLocal, Request request) {
    return new Waiter(
        executionId, isLocal, request, new Semaphore(0), new CompletableFuture<>());
  }

  Duration timeLeft() {
    Duration left = Duration.between(Instant.now(), request.expiresAt);
    return left.isNegative() ? Duration.ZERO : left;
  }

  void awaitNews(Duration most) throws InterruptedException {
    news.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Empty: the time is over. */
  Optional<Verdict> awaitDecision() throws InterruptedException {
    try {
      return Optional.of(decided.get(timeLeft().toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException error) {
      return Optional.empty();
    } catch (ExecutionException error) {
      throw new IllegalStateException("a decision is never an error", error);
    }
  }
}
