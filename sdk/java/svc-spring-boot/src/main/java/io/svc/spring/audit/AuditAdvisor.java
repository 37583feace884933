package io.svc.spring.audit;

import io.svc.json.Json;
import io.svc.spring.SvcContextKeys;
import io.svc.spring.SvcProperties;
import io.svc.spring.approval.ApprovalAdvisor;
import io.svc.spring.call.Executions;
import io.svc.spring.call.ModelCall;
import io.svc.spring.call.PromptText;
import io.svc.spring.call.ResponseSoFar;
import io.svc.spring.observe.Meters;
import io.svc.spring.runtime.Outbox;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import reactor.core.publisher.Flux;

/**
 * Records the prompt and the response of a call as external events of its execution. The outbox
 * delivers them: no call waits for its audit. A call without an execution has no audit.
 */
public final class AuditAdvisor implements CallAdvisor, StreamAdvisor {
  private static final String PROMPT = "prompt";
  private static final String RESPONSE = "response";
  private final Executions executions;
  private final Outbox outbox;
  private final Meters meters;
  private final SvcProperties.Audit properties;

  /** An advisor that writes to the outbox. */
  public AuditAdvisor(
      Executions executions, Outbox outbox, Meters meters, SvcProperties.Audit properties) {
    this.executions = executions;
    this.outbox = outbox;
    this.meters = meters;
    this.properties = properties;
  }

  @Override
  public String getName() {
    return "svc-audit";
  }

  @Override
  public int getOrder() {
    return ApprovalAdvisor.ORDER + 1;
  }

  @Override
  public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
    Optional<String> executionId = executionOf(request);
    executionId.ifPresent(id -> recordPrompt(id, request));
    ChatClientResponse response = chain.nextCall(request);
    ResponseSoFar whole = new ResponseSoFar(null);
    whole.add(response);
    executionId.ifPresent(id -> recordResponse(id, whole));
    return response;
  }

  @Override
  public Flux<ChatClientResponse> adviseStream(
      ChatClientRequest request, StreamAdvisorChain chain) {
    return Flux.defer(
        () -> {
          Optional<String> executionId = executionOf(request);
          if (executionId.isEmpty()) {
            return chain.nextStream(request);
          }
          String id = executionId.get();
          recordPrompt(id, request);
          ResponseSoFar parts = new ResponseSoFar(null);
          return chain
              .nextStream(request)
              .doOnNext(parts::add)
              .doOnComplete(() -> recordResponse(id, parts))
              .doOnError(error -> recordWhatArrived(id, parts))
              .doOnCancel(() -> recordWhatArrived(id, parts));
        });
  }

  private Optional<String> executionOf(ChatClientRequest request) {
    return executions
        .find(request.context().get(SvcContextKeys.EXECUTION_ID))
        .map(ModelCall::ids)
        .map(ModelCall.Ids::execution);
  }

  private void recordPrompt(String executionId, ChatClientRequest request) {
    String content = properties.isIncludePrompts() ? PromptText.of(request) : null;
    add(executionId, PROMPT, Json.object("content", content));
  }

  /** The subscriber of a stream that breaks off has seen its first parts. */
  private void recordWhatArrived(String executionId, ResponseSoFar parts) {
    if (!parts.text().isEmpty()) {
      recordResponse(executionId, parts);
    }
  }

  private void recordResponse(String executionId, ResponseSoFar response) {
    Map<String, Object> members =
        Json.object(
            "content", properties.isIncludeResponses() ? response.text() : null,
            "prompt_tokens", response.promptTokens(),
            "completion_tokens", response.completionTokens(),
            "total_tokens", response.totalTokens());
    add(executionId, RESPONSE, members);
  }

  private void add(String executionId, String type, Map<String, Object> members) {
    Map<String, Object> entry = Json.object("type", type, "advisor", getName());
    entry.putAll(members);
    String key = "svc.audit." + UUID.randomUUID();
    outbox.addOrDrop(
        executionId,
        (runtime, again) -> {
          if (!again || !runtime.hasDelivered(executionId, key)) {
            runtime.deliver(executionId, key, entry);
          }
          meters.auditEventRecorded(type);
        });
  }
}
