package io.svc.spring.call;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.svc.spring.ModelCosts;
import io.svc.spring.observe.AiObservations;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.RuntimeLink;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisor;
import org.springframework.ai.chat.client.advisor.api.StreamAdvisorChain;
import org.springframework.core.Ordered;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Wraps every model call in an execution.
 *
 * <p>It runs before the advisors of memory and, in Spring AI 2, of the tool loop: whatever they do
 * belongs to the one execution.
 */
public final class DurabilityAdvisor implements CallAdvisor, StreamAdvisor {
  /** The order; approvals and audit follow with the next ones. */
  public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

  private static final Executor THREADS =
      task -> Thread.ofVirtual().name("svc-begin").start(task);
  private final Executions executions;
  private final RuntimeLink link;
  private final Tracer tracer;
  private final Supplier<ObservationRegistry> observations;
  private final Supplier<ModelCosts> costs;

  /** An advisor of these executions. */
  public DurabilityAdvisor(
      Executions executions,
      RuntimeLink link,
      Tracer tracer,
      Supplier<ObservationRegistry> observations,
      Supplier<ModelCosts> costs) {
    this.executions = executions;
    this.link = link;
    this.tracer = tracer;
    this.observations = observations;
    this.costs = costs;
  }

  @Override
  public String getName() {
    return "svc-durability";
  }

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
    Optional<ModelCall> begun = executions.begin(request);
    if (begun.isEmpty()) {
      return chain.nextCall(request);
    }
    ModelCall call = begun.get();
    AiObservations.attach(observations.get().getCurrentObservation(), call.span());
    Tracer.Scope scope = call.span().makeCurrent();
    try {
      ChatClientResponse response = call.identify(chain.nextCall(call.identify(request)));
      ResponseSoFar whole = new ResponseSoFar(costs.get());
      whole.add(response);
      call.complete(whole);
      return response;
    } catch (Throwable error) {
      call.fail(error);
      throw error;
    } finally {
      scope.close();
    }
  }

  @Override
  public Flux<ChatClientResponse> adviseStream(
      ChatClientRequest request, StreamAdvisorChain chain) {
    return Flux.deferContextual(
        view -> {
          if (link.outage() != null) {
            link.countUndurable();
            return chain.nextStream(request);
          }
          Observation observation = view.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
          return stream(request, chain, observation);
        });
  }

  /**
   * The request to the runtime is not interrupted by a cancellation: an execution that nobody knows
   * would stay open.
   */
  private Flux<ChatClientResponse> stream(
      ChatClientRequest request, StreamAdvisorChain chain, Observation observation) {
    StreamedCall streamed = new StreamedCall(costs.get());
    Supplier<Optional<ModelCall>> begin = () -> streamed.begun(executions.begin(request));
    CompletableFuture<Optional<ModelCall>> begun =
        CompletableFuture.supplyAsync(tracer.inCallersContext(begin), THREADS);
    return Mono.fromFuture(begun, true)
        .flatMapMany(
            found -> {
              found.ifPresent(call -> AiObservations.attach(observation, call.span()));
              return found
                  .map(call -> chain.nextStream(call.identify(request)).map(call::identify))
                  .orElseGet(() -> chain.nextStream(request));
            })
        .doOnNext(streamed::add)
        .doOnComplete(streamed::complete)
        .doOnError(streamed::fail)
        // After the advisors below: an audit entry of what has arrived comes first.
        .doFinally(signal -> streamed.cancelUnlessEnded());
  }
}
