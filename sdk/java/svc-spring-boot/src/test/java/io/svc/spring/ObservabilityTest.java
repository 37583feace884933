package io.svc.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.svc.client.SvcClient;
import io.svc.spring.observe.AiObservations;
import io.svc.spring.testing.FakeRuntime;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.observation.ChatModelObservationContext;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.observation.ToolCallingObservationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.ContextRefreshedEvent;

class ObservabilityTest {
  private final FakeRuntime runtime = FakeRuntime.start();
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final ObservationRegistry observations = ObservationRegistry.create();

  @AfterEach
  void stop() {
    runtime.close();
  }

  @Test
  void metersHaveTheNamesAndTagsOfTheContract() {
    application(observing("read_clock"))
        .withBean(ModelCosts.class, () -> (model, usage) -> OptionalDouble.of(0.25))
        .run(
            context -> {
              ChatClient client = Application.clientOf(context);
              client.prompt("hello").call().content();
              assertThrows(
                  IllegalStateException.class, () -> client.prompt("fail").call().content());
              String id = startAnother();
              client
                  .prompt("again")
                  .advisors(a -> a.param(SvcContextKeys.EXECUTION_ID, id))
                  .call()
                  .content();
            });
    assertEquals(2, meters.get("svc.execution.count").tag("status", "completed").counter().count());
    assertEquals(1, meters.get("svc.execution.count").tag("status", "failed").counter().count());
    assertEquals(
        2, meters.get("svc.execution.duration").tag("status", "completed").timer().count());
    assertEquals(
        3,
        meters
            .get("svc.node.duration")
            .tag("node_id", "call")
            .tag("node_kind", "wait")
            .timer()
            .count());
    assertEquals(1, meters.get("svc.node.retries").tag("node_id", "call").counter().count());
    assertEquals(
        3, meters.get("svc.tool.calls").tag("tool_name", "read_clock").counter().count());
    assertEquals(
        3, meters.get("svc.tool.duration").tag("tool_name", "read_clock").timer().count());
    assertEquals(0.5, meters.get("svc.execution.cost.usd").summary().totalAmount());
    assertEquals(3, meters.get("svc.audit.events").tag("event_type", "prompt").counter().count());
    assertEquals(
        2, meters.get("svc.audit.events").tag("event_type", "response").counter().count());
  }

  @Test
  void thePrefixOfMetersIsAPropertyAndTheyCanBeTurnedOff() {
    application(question -> question, "spring.svc.observability.metric-prefix=shop.svc")
        .run(context -> Application.clientOf(context).prompt("hello").call().content());
    assertEquals(1, meters.get("shop.svc.execution.count").counter().count());
    assertEquals(0, meters.find("svc.execution.count").counters().size());
    meters.clear();
    application(question -> question, "spring.svc.observability.micrometer=false")
        .run(context -> Application.clientOf(context).prompt("hello").call().content());
    assertEquals(0, meters.getMeters().stream().filter(this::isOurs).count());
  }

  @Test
  void spansHaveTheNamesKindsAndAttributesOfTheContract() {
    application(observing("read_clock"), "spring.svc.observability.opentelemetry=true")
        .withBean(ModelCosts.class, () -> (model, usage) -> OptionalDouble.of(0.25))
        .run(context -> Application.clientOf(context).prompt("hello").call().content());
    SpanData execution = span("svc.execution");
    assertEquals(SpanKind.INTERNAL, execution.getKind());
    assertEquals(runtime.executionIds().getFirst(), text(execution, "svc.execution.id"));
    assertEquals("shop.model-call", text(execution, "svc.workflow.id"));
    assertEquals(0.25, execution.getAttributes().get(AttributeKey.doubleKey("svc.cost.usd")));
    SpanData node = span("svc.node.call");
    assertEquals(SpanKind.INTERNAL, node.getKind());
    assertEquals("call", text(node, "svc.node.id"));
    assertEquals("wait", text(node, "svc.node.kind"));
    assertEquals(execution.getSpanId(), node.getParentSpanId());
    SpanData tool = span("svc.tool.read_clock");
    assertEquals(SpanKind.CLIENT, tool.getKind());
    assertEquals("read_clock", text(tool, "svc.tool.name"));
    assertEquals(node.getSpanId(), tool.getParentSpanId());
    SpanData model = span("svc.model.call");
    assertEquals(SpanKind.CLIENT, model.getKind());
    assertEquals("stub", text(model, "svc.model.name"));
    assertEquals(node.getSpanId(), model.getParentSpanId());
  }

  @Test
  void spansOfErrorsHaveStatusMessageAndExceptionEvent() {
    application(observing("read_clock"), "spring.svc.observability.opentelemetry=true")
        .run(
            context ->
                assertThrows(
                    IllegalStateException.class,
                    () -> Application.clientOf(context).prompt("fail").call().content()));
    SpanData execution = span("svc.execution");
    assertEquals(StatusCode.ERROR, execution.getStatus().getStatusCode());
    assertEquals("it fails", execution.getStatus().getDescription());
    assertEquals("exception", execution.getEvents().getFirst().getName());
  }

  @Test
  void withoutTheirPropertyThereAreNoSpans() {
    application(question -> question)
        .run(context -> Application.clientOf(context).prompt("hello").call().content());
    assertEquals(0, spans.getFinishedSpanItems().size());
  }

  private ApplicationContextRunner application(
      Function<String, String> model, String... properties) {
    SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build();
    return Application.with(new StubModel(model), properties)
        .withPropertyValues("spring.svc.runtime-url=" + runtime.url())
        .withBean(MeterRegistry.class, () -> meters)
        .withBean(OpenTelemetry.class, () -> telemetryOf(provider))
        .withBean(ObservationRegistry.class, () -> observations)
        .withUserConfiguration(ObservedClients.class)
        .withInitializer(
            context ->
                context.addApplicationListener(
                    event -> {
                      if (event instanceof ContextRefreshedEvent) {
                        observations
                            .observationConfig()
                            .observationHandler(context.getBean(AiObservations.class));
                      }
                    }));
  }

  /** Unlike the SDK, it does not close with the application, and the exporter keeps the spans. */
  private static OpenTelemetry telemetryOf(SdkTracerProvider provider) {
    return new OpenTelemetry() {
      @Override
      public TracerProvider getTracerProvider() {
        return provider;
      }

      @Override
      public ContextPropagators getPropagators() {
        return ContextPropagators.noop();
      }
    };
  }

  /** What models of Spring AI observe: one call of a tool inside a call of a model. */
  private Function<String, String> observing(String toolName) {
    return question -> {
      if (question.equals("fail")) {
        observe(toolContext(toolName));
        throw new IllegalStateException("it fails");
      }
      observe(modelContext());
      observe(toolContext(toolName));
      return question;
    };
  }

  private void observe(Observation.Context of) {
    Observation.createNotStarted("test", () -> of, observations).observe(() -> {});
  }

  private static Observation.Context modelContext() {
    Prompt prompt = new Prompt("hello", ChatOptions.builder().model("stub").build());
    return ChatModelObservationContext.builder().prompt(prompt).provider("test").build();
  }

  private static Observation.Context toolContext(String name) {
    ToolDefinition definition =
        ToolDefinition.builder().name(name).description("a tool").inputSchema("{}").build();
    return ToolCallingObservationContext.builder()
        .toolDefinition(definition)
        .toolCallArguments("{}")
        .build();
  }

  private String startAnother() {
    try (SvcClient client = SvcClient.builder().url(runtime.url()).build()) {
      Map<String, Object> start = Map.of("workflow_id", "shop.model-call", "input", Map.of());
      return (String) client.request("POST", "/executions", null, start).get("execution_id");
    }
  }

  private SpanData span(String name) {
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not among " + spans.getFinishedSpanItems()));
  }

  private static String text(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.stringKey(name));
  }

  private boolean isOurs(Meter meter) {
    return meter.getId().getName().startsWith("svc.");
  }

  @Configuration(proxyBeanMethods = false)
  static class ObservedClients {
    @Bean
    @Primary
    ChatClient.Builder observedBuilder(
        ChatModel model, ObservationRegistry registry) {
      return ChatClient.builder(model, registry, null);
    }
  }
}
