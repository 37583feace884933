package io.svc.spring.approval;

import io.svc.json.Json;
import io.svc.json.JsonException;
import io.svc.spring.SvcProperties;
import io.svc.spring.SvcProperties.Decision;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.RuntimeAwayException;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.runtime.RuntimeRefusedException;
import io.svc.spring.runtime.RuntimeApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What the endpoints do: list approvals of the application, and pass decisions on. */
public final class Approvals {
  private static final List<String> OPTIONAL = List.of("node_id", "user_id", "comment", "state_patch");
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int UNAVAILABLE = 503;
  private final ApprovalGate gate;
  private final RuntimeLink link;
  private final ModelCallWorkflow workflow;
  private final SvcProperties.Approval properties;

  /** Approvals of the workflow. */
  public Approvals(
      ApprovalGate gate,
      RuntimeLink link,
      ModelCallWorkflow workflow,
      SvcProperties.Approval properties) {
    this.gate = gate;
    this.link = link;
    this.workflow = workflow;
    this.properties = properties;
  }

  /**
   * An answer of HTTP.
   *
   * @param status the status
   * @param body JSON
   */
  public record Answer(int status, Object body) {
    static Answer error(int status, String message) {
      return new Answer(status, Map.of("error", message));
    }
  }

  /** Passes a decision on. */
  public Answer decide(String executionId, byte[] body) {
    Map<String, Object> decision;
    try {
      decision = readDecision(body);
    } catch (JsonException | IllegalArgumentException error) {
      return Answer.error(BAD_REQUEST, "bad request: " + error.getMessage());
    }
    Optional<Waiter> waiter = gate.find(executionId);
    if (waiter.isPresent() && waiter.get().isLocal()) {
      return new Answer(200, answerOf(executionId, decideHere(waiter.get(), decision)));
    }
    try {
      Answer answer = decideInRuntime(link.requireUp(), executionId, decision);
      waiter.ifPresent(found -> found.news().release());
      return answer;
    } catch (RuntimeRefusedException error) {
      return Answer.error(error.status(), error.getMessage());
    } catch (RuntimeAwayException error) {
      link.report(error);
      return Answer.error(UNAVAILABLE, "the svc runtime is away, decide again later");
    }
  }

  /** Lists the approvals that are open; during an outage, those of this process. */
  public Answer pending() {
    Stream<Waiter> waiters = gate.waiting().stream();
    try {
      List<Map<String, Object>> found = new ArrayList<>();
      for (Map<String, Object> listed : link.requireUp().pendingApprovals(workflow.id())) {
        Optional<Waiter> here = gate.find((String) listed.get("execution_id"));
        found.add(
            here.map(PendingApproval::of)
                .orElseGet(() -> PendingApproval.of(listed, properties.getTimeout())));
      }
      waiters.filter(Waiter::isLocal).map(PendingApproval::of).forEach(found::add);
      return new Answer(200, found);
    } catch (RuntimeAwayException error) {
      link.report(error);
      return new Answer(200, waiters.map(PendingApproval::of).toList());
    } catch (RuntimeRefusedException error) {
      return Answer.error(error.status(), error.getMessage());
    }
  }

  private static Map<String, Object> readDecision(byte[] body) {
    Object value = body == null || body.length == 0 ? null : Json.parse(body);
    if (!(value instanceof Map<?, ?>)) {
      throw new IllegalArgumentException("the body must be a JSON object");
    }
    Map<String, Object> given = Json.asObject(value);
    Object decided = given.get("decision");
    boolean isKnown =
        Stream.of(Decision.values()).map(Decision::wireName).anyMatch(name -> name.equals(decided));
    if (!isKnown) {
      throw new IllegalArgumentException("decision must be approved or rejected");
    }
    Map<String, Object> decision = Json.object("decision", decided);
    for (String name : OPTIONAL) {
      if (given.get(name) != null) {
        decision.put(name, given.get(name));
      }
    }
    return decision;
  }

  private static boolean decideHere(Waiter waiter, Map<String, Object> decision) {
    boolean isApproved = Decision.APPROVED.wireName().equals(decision.get("decision"));
    String comment = decision.get("comment") instanceof String text ? text : null;
    return waiter.decided().complete(new Verdict(isApproved, comment));
  }

  /** The token of the application may decide more than its callers: only its calls are passed on. */
  private Answer decideInRuntime(
      RuntimeApi runtime, String executionId, Map<String, Object> decision) {
    if (!workflow.id().equals(runtime.read(executionId).get("workflow_id"))) {
      return Answer.error(NOT_FOUND, "not found: execution " + executionId);
    }
    Object accepted = runtime.approve(executionId, decision).get("accepted");
    return new Answer(200, answerOf(executionId, Boolean.TRUE.equals(accepted)));
  }

  private static Map<String, Object> answerOf(String executionId, boolean isAccepted) {
    return Json.object("execution_id", executionId, "accepted", isAccepted);
  }
}
