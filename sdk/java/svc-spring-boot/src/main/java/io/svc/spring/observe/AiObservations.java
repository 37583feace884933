package io.svc.spring.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import io.svc.spring.ModelCosts;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.observation.ChatModelObservationContext;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.tool.observation.ToolCallingObservationContext;

/**
 * Meters and spans of the tools and models that Spring AI observes. Spring AI calls tools inside the
 * model or outside, by its version; it observes them in both.
 */
public final class AiObservations implements ObservationHandler<Observation.Context> {
  private static final Object SPAN_OF_CALL = new Object();
  private static final Object STARTED = new Object();
  private final Meters meters;
  private final Tracer tracer;
  private final Supplier<ModelCosts> costs;

  /** Observes tools and models. */
  public AiObservations(Meters meters, Tracer tracer, Supplier<ModelCosts> costs) {
    this.meters = meters;
    this.tracer = tracer;
    this.costs = costs;
  }

  /** Makes a span the parent of the spans below an observation; null is none. */
  public static void attach(Observation observation, Tracer.Span span) {
    if (observation != null) {
      observation.getContext().put(SPAN_OF_CALL, span);
    }
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return context instanceof ToolCallingObservationContext
        || context instanceof ChatModelObservationContext;
  }

  @Override
  public void onStart(Observation.Context context) {
    Tracer.Span parent = parentOf(context);
    Tracer.Span span =
        context instanceof ToolCallingObservationContext tool
            ? tracer.tool(parent, nameOf(tool))
            : tracer.model(parent, modelOf((ChatModelObservationContext) context));
    context.put(STARTED, new Started(span, System.nanoTime()));
  }

  @Override
  public void onStop(Observation.Context context) {
    Started started = context.get(STARTED);
    if (started == null) {
      return;
    }
    if (context instanceof ToolCallingObservationContext tool) {
      Duration duration = Duration.ofNanos(System.nanoTime() - started.nanos);
      meters.toolCalled(nameOf(tool), duration);
    }
    if (context instanceof ChatModelObservationContext model) {
      usdOf(model).ifPresent(started.span::cost);
    }
    started.span.end(context.getError());
  }

  private record Started(Tracer.Span span, long nanos) {}

  private static Tracer.Span parentOf(Observation.Context context) {
    ObservationView view = context.getParentObservation();
    while (view != null) {
      Tracer.Span span = view.getContextView().get(SPAN_OF_CALL);
      if (span != null) {
        return span;
      }
      view = view.getContextView().getParentObservation();
    }
    return null;
  }

  private static String nameOf(ToolCallingObservationContext tool) {
    return tool.getToolDefinition().name();
  }

  private static String modelOf(ChatModelObservationContext context) {
    ChatOptions options = context.getRequest().getOptions();
    return options == null || options.getModel() == null ? "unknown" : options.getModel();
  }

  private OptionalDouble usdOf(ChatModelObservationContext context) {
    ModelCosts known = costs.get();
    ChatResponse response = context.getResponse();
    if (known == null || response == null || response.getMetadata() == null) {
      return OptionalDouble.empty();
    }
    ChatResponseMetadata metadata = response.getMetadata();
    return known.usdOf(metadata.getModel(), metadata.getUsage());
  }
}
