package io.svc.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.svc.spring.ModelCosts;
import io.svc.spring.SvcProperties;
import io.svc.spring.observe.AiObservations;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.MicrometerMeters;
import io.svc.spring.observe.OpenTelemetryTracer;
import io.svc.spring.observe.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters of the application's registry, and spans where they are asked for. */
@Configuration(proxyBeanMethods = false)
class ObservabilityConfiguration {
  @Bean
  Meters svcMeters(SvcProperties properties, ObjectProvider<MeterRegistry> registries) {
    SvcProperties.Observability observability = properties.getObservability();
    MeterRegistry registry = observability.isMicrometer() ? registries.getIfUnique() : null;
    return registry == null
        ? Meters.NONE
        : new MicrometerMeters(registry, observability.getMetricPrefix());
  }

  @Bean
  AiObservations svcAiObservations(
      Meters meters, Tracer tracer, ObjectProvider<ModelCosts> costs) {
    return new AiObservations(meters, tracer, costs::getIfUnique);
  }

  /** The application has OpenTelemetry. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.opentelemetry.api.OpenTelemetry")
  @ConditionalOnProperty("spring.svc.observability.opentelemetry")
  static class Spans {
    @Bean
    Tracer svcTracer(ObjectProvider<OpenTelemetry> telemetry) {
      return new OpenTelemetryTracer(telemetry.getIfUnique(GlobalOpenTelemetry::get));
    }
  }

  /** After the spans, because conditions on beans see what comes before. */
  @Configuration(proxyBeanMethods = false)
  static class NoSpans {
    @Bean
    @ConditionalOnMissingBean
    Tracer svcNoTracer() {
      return Tracer.NONE;
    }
  }
}
