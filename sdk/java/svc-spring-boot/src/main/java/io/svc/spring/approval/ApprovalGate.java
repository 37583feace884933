package io.svc.spring.approval;

import io.svc.json.Json;
import io.svc.spring.SvcProperties;
import io.svc.spring.SvcProperties.Decision;
import io.svc.spring.call.ModelCall;
import io.svc.spring.call.PromptText;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeAwayException;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.runtime.RuntimeRefusedException;
import io.svc.spring.runtime.RuntimeApi;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.ai.chat.client.ChatClientRequest;

/**
 * Where calls wait for a decision.
 *
 * <p>The runtime holds the decision, so any process of the application may receive it: the waiting
 * one asks the runtime, more seldom the longer it waits. A process that receives a decision for a
 * call of its own wakes it at once. The first decision counts, and the default decision at the
 * timeout is one of them. An outage lengthens no timeout: the default decision applies, and the
 * runtime learns of it later. A call without an execution waits for a decision in this process,
 * because an outage must not let calls pass that a person has to see.
 */
public final class ApprovalGate {
  private static final Duration PAUSE_MIN = Duration.ofMillis(100);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(2);
  private static final String KIND = "human_approval";
  private static final String USER = "svc-spring";
  private static final List<String> OPEN = List.of("running", "paused");
  private final RuntimeLink link;
  private final Outbox outbox;
  private final ApprovalWebhook webhook;
  private final Meters meters;
  private final Tracer tracer;
  private final SvcProperties properties;
  private final Map<String, Waiter> waiters = new ConcurrentHashMap<>();

  /** A gate with the properties' timeout. */
  public ApprovalGate(
      RuntimeLink link,
      Outbox outbox,
      ApprovalWebhook webhook,
      Meters meters,
      Tracer tracer,
      SvcProperties properties) {
    this.link = link;
    this.outbox = outbox;
    this.webhook = webhook;
    this.meters = meters;
    this.tracer = tracer;
    this.properties = properties;
  }

  /** Waits for the decision on a call; a call that is absent has no execution. */
  Decided await(Optional<ModelCall> call, ChatClientRequest request) {
    Waiter waiter = waiterOf(call, request);
    Tracer.Span parent = call.map(ModelCall::executionSpan).orElse(null);
    Tracer.Span span = tracer.node(parent, ModelCallWorkflow.APPROVAL_NODE, KIND);
    long startedNanos = System.nanoTime();
    waiters.put(waiter.executionId(), waiter);
    try {
      Verdict verdict = waiter.isLocal() ? awaitHere(waiter) : awaitRuntime(waiter);
      return new Decided(waiter.executionId(), verdict);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new CancellationException("the wait for an approval was interrupted");
    } finally {
      waiters.remove(waiter.executionId());
      span.end(null);
      Duration duration = Duration.ofNanos(System.nanoTime() - startedNanos);
      meters.nodeEnded(ModelCallWorkflow.APPROVAL_NODE, KIND, duration);
    }
  }

  /** The decision on an execution. */
  record Decided(String executionId, Verdict verdict) {}

  /** The call of this process that waits with this id. */
  Optional<Waiter> find(String executionId) {
    return Optional.ofNullable(waiters.get(executionId));
  }

  /** The calls of this process that wait. */
  List<Waiter> waiting() {
    return List.copyOf(waiters.values());
  }

  private Waiter waiterOf(Optional<ModelCall> call, ChatClientRequest request) {
    Instant now = Instant.now();
    boolean showsPrompt = properties.getAudit().isIncludePrompts();
    Waiter.Request shown =
        new Waiter.Request(
            call.map(found -> found.ids().workflow()).orElse(null),
            call.map(found -> found.ids().session()).orElse(null),
            showsPrompt ? PromptText.of(request) : null,
            now,
            now.plus(properties.getApproval().getTimeout()));
    return call.map(found -> Waiter.of(found.ids().execution(), false, shown))
        .orElseGet(() -> Waiter.of("local_" + UUID.randomUUID(), true, shown));
  }

  private Verdict awaitHere(Waiter waiter) throws InterruptedException {
    webhook.announce(waiter);
    return waiter.awaitDecision().orElseGet(this::defaultVerdict);
  }

  private Verdict awaitRuntime(Waiter waiter) throws InterruptedException {
    boolean isAnnounced = false;
    Duration pause = PAUSE_MIN;
    while (true) {
      Reading reading = read(waiter.executionId());
      if (reading.verdict != null) {
        return reading.verdict;
      }
      // A reviewer who is told earlier would decide on an approval that is not open yet.
      if (reading.isOpen && !isAnnounced) {
        webhook.announce(waiter);
        isAnnounced = true;
      }
      if (waiter.timeLeft().isZero()) {
        return applyDefault(waiter.executionId());
      }
      waiter.awaitNews(shorter(pause, waiter.timeLeft()));
      pause = shorter(pause.multipliedBy(3).dividedBy(2), PAUSE_MAX);
    }
  }

  /**
   * What the runtime knows.
   *
   * @param verdict null: there is none yet
   * @param isOpen whether it waits for one
   */
  private record Reading(Verdict verdict, boolean isOpen) {
    static final Reading NOTHING = new Reading(null, false);
  }

  private Reading read(String executionId) {
    try {
      RuntimeApi runtime = link.requireUp();
      Map<String, Object> answer = runtime.approvals(executionId);
      List<Map<String, Object>> decided = Json.asObjects(answer.get("decided"));
      if (!decided.isEmpty()) {
        return new Reading(verdictOf(decided.getLast()), false);
      }
      if (!Json.asObjects(answer.get("pending")).isEmpty()) {
        return new Reading(null, true);
      }
      return readEnd(runtime, executionId);
    } catch (RuntimeAwayException error) {
      link.report(error);
      return Reading.NOTHING;
    } catch (RuntimeRefusedException error) {
      return Reading.NOTHING;
    }
  }

  /** An execution that somebody ended otherwise gets no decision. */
  private static Reading readEnd(RuntimeApi runtime, String executionId) {
    String status = (String) runtime.read(executionId).get("status");
    return OPEN.contains(status)
        ? Reading.NOTHING
        : new Reading(new Verdict(false, "The execution is " + status + "."), false);
  }

  private static Verdict verdictOf(Map<String, Object> decided) {
    boolean isApproved = Decision.APPROVED.wireName().equals(decided.get("decision"));
    return new Verdict(isApproved, (String) decided.get("comment"));
  }

  private Verdict applyDefault(String executionId) {
    Verdict verdict = defaultVerdict();
    Map<String, Object> decision =
        Json.object(
            "decision", properties.getApproval().getDefaultDecision().wireName(),
            "node_id", ModelCallWorkflow.APPROVAL_NODE,
            "user_id", USER,
            "comment", verdict.comment());
    try {
      Map<String, Object> answer = link.requireUp().approve(executionId, decision);
      if (Boolean.TRUE.equals(answer.get("accepted"))) {
        return verdict;
      }
      // Another decision came first, and counts.
      Verdict other = read(executionId).verdict;
      return other == null ? verdict : other;
    } catch (RuntimeAwayException error) {
      link.report(error);
      outbox.add(executionId, (runtime, again) -> runtime.approve(executionId, decision));
      return verdict;
    } catch (RuntimeRefusedException error) {
      return verdict;
    }
  }

  private Verdict defaultVerdict() {
    SvcProperties.Approval approval = properties.getApproval();
    String limit = approval.getTimeout().toString().substring(2).toLowerCase(Locale.ROOT);
    boolean isApproved = approval.getDefaultDecision() == Decision.APPROVED;
    return new Verdict(isApproved, "No decision came within " + limit + ".");
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
