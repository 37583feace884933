package io.svc.spring.approval;

import io.svc.spring.ApprovalRejectedException;
import io.svc.spring.SvcContextKeys;
import io.svc.spring.call.DurabilityAdvisor;
import io.svc.spring.call.Executions;
import io.svc.spring.call.ModelCall;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Blocks calls that ask for an approval until there is a decision. */
public final class ApprovalAdvisor implements CallAdvisor, StreamAdvisor {
  /** After the advisor of durability, whose execution the reviewers decide on. */
  public static final int ORDER = DurabilityAdvisor.ORDER + 1;

  /** Unlike the scheduler of blocking work, it has a thread for each call that waits. */
  private static final Scheduler THREADS =
      Schedulers.fromExecutorService(Executors.newVirtualThreadPerTaskExecutor(), "svc-approval");

  private final Executions executions;
  private final ApprovalGate gate;

  /** An advisor before the gate. */
  public ApprovalAdvisor(Executions executions, ApprovalGate gate) {
    this.executions = executions;
    this.gate = gate;
  }

  @Override
  public String getName() {
    return "svc-approval";
  }

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
    if (executions.needsApproval(request)) {
      pass(request);
    }
    return chain.nextCall(request);
  }

  @Override
  public Flux<ChatClientResponse> adviseStream(
      ChatClientRequest request, StreamAdvisorChain chain) {
    if (!executions.needsApproval(request)) {
      return chain.nextStream(request);
    }
    return Mono.fromRunnable(() -> passUnlessCancelled(request))
        .subscribeOn(THREADS)
        .thenMany(Flux.defer(() -> chain.nextStream(request)));
  }

  /** A cancelled stream asks for nothing more: it needs no error. */
  private void passUnlessCancelled(ChatClientRequest request) {
    try {
      pass(request);
    } catch (CancellationException error) {
      Thread.currentThread().interrupt();
    }
  }

  private void pass(ChatClientRequest request) {
    Optional<ModelCall> call = executions.find(request.context().get(SvcContextKeys.EXECUTION_ID));
    ApprovalGate.Decided decided = gate.await(call, request);
    if (!decided.verdict().isApproved()) {
      throw new ApprovalRejectedException(decided.executionId(), decided.verdict().comment());
    }
  }
}
