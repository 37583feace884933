package io.svc.spring.call;

import io.svc.json.Json;
import io.svc.spring.SvcContextKeys;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeAwayException;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.runtime.RuntimeRefusedException;
import io.svc.spring.runtime.RuntimeApi;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.memory.ChatMemory;

/** Starts or resumes the executions of calls, and knows those that are under way. */
public final class Executions implements AutoCloseable {
  private static final Log log = LogFactory.getLog(Executions.class);
  private static final int NOT_FOUND = 404;
  private static final Set<String> OPEN = Set.of("running", "paused");
  private final RuntimeLink link;
  private final ModelCallWorkflow workflow;
  private final Outbox outbox;
  private final Meters meters;
  private final Tracer tracer;
  private final Approvals approvals;
  private final AtomicBoolean hasWarned = new AtomicBoolean();
  private final Map<String, ModelCall> underWay = new ConcurrentHashMap<>();

  /**
   * What the input of an execution tells reviewers.
   *
   * @param areEnabled whether calls may ask for an approval
   * @param showPrompts whether the input has the prompt of a call that asks for one
   */
  public record Approvals(boolean areEnabled, boolean showPrompts) {}

  /** Executions of the workflow. */
  public Executions(
      RuntimeLink link,
      ModelCallWorkflow workflow,
      Outbox outbox,
      Meters meters,
      Tracer tracer,
      Approvals approvals) {
    this.link = link;
    this.workflow = workflow;
    this.outbox = outbox;
    this.meters = meters;
    this.tracer = tracer;
    this.approvals = approvals;
  }

  /**
   * Whether a request asks for an approval, and may.
   *
   * @param request its context decides
   * @return false where approvals are not enabled
   */
  public boolean needsApproval(ChatClientRequest request) {
    Object required = request.context().get(SvcContextKeys.APPROVAL_REQUIRED);
    boolean isRequired = Boolean.parseBoolean(String.valueOf(required));
    if (isRequired && !approvals.areEnabled && hasWarned.compareAndSet(false, true)) {
      log.warn("Calls ask for approvals and get none: spring.svc.approval.enabled is false.");
    }
    return isRequired && approvals.areEnabled;
  }

  /**
   * Starts or resumes the execution of a request.
   *
   * @param request its context may name an execution and a session
   * @return empty if the runtime cannot be used: the call goes on without durability
   */
  public Optional<ModelCall> begin(ChatClientRequest request) {
    try {
      RuntimeApi runtime = link.require();
      Optional<ModelCall> resumed = resume(runtime, request);
      return resumed.isPresent() ? resumed : Optional.of(start(request));
    } catch (RuntimeAwayException error) {
      link.report(error);
    } catch (RuntimeException error) {
      // A refusal, or an answer that is none of svc: the call of the application goes on.
      log.warn("A model call goes on without durability: " + error.getMessage());
    }
    link.countUndurable();
    return Optional.empty();
  }

  /**
   * The call under way with this execution.
   *
   * @param executionId an id, or null
   * @return empty if this process has no such call
   */
  public Optional<ModelCall> find(Object executionId) {
    return executionId instanceof String id
        ? Optional.ofNullable(underWay.get(id))
        : Optional.empty();
  }

  /** Cancels the executions of calls that the end of the application cuts off. */
  @Override
  public void close() {
    List.copyOf(underWay.values()).forEach(ModelCall::cancel);
  }

  private ModelCall start(ChatClientRequest request) {
    String sessionId = sessionOf(request.context());
    boolean needsApproval = needsApproval(request);
    boolean showsPrompt = needsApproval && approvals.showPrompts;
    Map<String, Object> input =
        Json.object(
            "session_id", sessionId,
            "approval_required", needsApproval,
            "prompt", showsPrompt ? PromptText.of(request) : null);
    String id = start(input);
    return track(new ModelCall.Ids(id, workflow.id(), sessionId), true);
  }

  private String start(Map<String, Object> input) {
    String key = UUID.randomUUID().toString();
    try {
      return startKnown(input, key);
    } catch (RuntimeAwayException error) {
      if (error.mayHaveActed()) {
        // Nobody may know this execution: the same key finds it, once the runtime is back.
        outbox.add(key, (runtime, again) -> runtime.cancel(runtime.start(workflow, input, key)));
      }
      throw error;
    }
  }

  private String startKnown(Map<String, Object> input, String key) {
    try {
      return link.require().start(workflow, input, key);
    } catch (RuntimeRefusedException error) {
      if (error.status() != NOT_FOUND) {
        throw error;
      }
      // The runtime has lost its database since the registration.
      link.forgetRegistration();
      return link.require().start(workflow, input, key);
    }
  }

  private Optional<ModelCall> resume(RuntimeApi runtime, ChatClientRequest request) {
    if (!(request.context().get(SvcContextKeys.EXECUTION_ID) instanceof String id)) {
      return Optional.empty();
    }
    Optional<Map<String, Object>> found = read(runtime, id);
    if (found.isEmpty() || !OPEN.contains(found.get().get("status"))) {
      return Optional.empty();
    }
    String workflowId = (String) found.get().get("workflow_id");
    boolean isOurs = workflowId.equals(workflow.id());
    if (needsApproval(request) && !(isOurs && hasApproval(runtime, id))) {
      return Optional.empty();
    }
    // A call inside another one, as of a tool, leaves the end to that one.
    boolean isOwned = isOurs && !underWay.containsKey(id);
    if (isOwned) {
      meters.nodeRetried(ModelCallWorkflow.CALL_NODE);
    }
    ModelCall.Ids ids = new ModelCall.Ids(id, workflowId, sessionOf(request.context()));
    return Optional.of(track(ids, isOwned));
  }

  private static Optional<Map<String, Object>> read(RuntimeApi runtime, String id) {
    try {
      return Optional.of(runtime.read(id));
    } catch (RuntimeRefusedException error) {
      log.warn("The execution cannot be resumed, another one starts: " + error.getMessage());
      return Optional.empty();
    }
  }

  private static boolean hasApproval(RuntimeApi runtime, String id) {
    Map<String, Object> answer = runtime.approvals(id);
    return !Json.asObjects(answer.get("pending")).isEmpty()
        || !Json.asObjects(answer.get("decided")).isEmpty();
  }

  private ModelCall track(ModelCall.Ids ids, boolean isOwned) {
    Consumer<ModelCall> forget = ended -> underWay.remove(ids.execution(), ended);
    ModelCall.Sinks sinks = new ModelCall.Sinks(outbox, meters, tracer, forget);
    ModelCall call = new ModelCall(ids, isOwned, sinks);
    underWay.putIfAbsent(ids.execution(), call);
    return call;
  }

  private static String sessionOf(Map<String, Object> context) {
    Object session = context.get(SvcContextKeys.SESSION_ID);
    Object conversation = context.get(ChatMemory.CONVERSATION_ID);
    Object found = session != null ? session : conversation;
    return found == null ? UUID.randomUUID().toString() : found.toString();
  }
}
