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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Meters of the application's registry, and spans where they are asked for. */
@Configuration(proxyBeanMethods = false)
class ObservabilityConfiguration {
  private static final Log log = LogFactory.getLog(ObservabilityConfiguration.class);
  private static final String OPENTELEMETRY = "io.opentelemetry.api.OpenTelemetry";

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

  @Bean
  Tracer svcTracer(SvcProperties properties, BeanFactory beans) {
    if (!properties.getObservability().isOpentelemetry()) {
      return Tracer.NONE;
    }
    if (!ClassUtils.isPresent(OPENTELEMETRY, getClass().getClassLoader())) {
      log.warn("There are no spans of svc: the application has no OpenTelemetry.");
      return Tracer.NONE;
    }
    return Spans.of(beans);
  }

  /** A class of its own, because applications without OpenTelemetry cannot load it. */
  private static final class Spans {
    static Tracer of(BeanFactory beans) {
      OpenTelemetry telemetry =
          beans.getBeanProvider(OpenTelemetry.class).getIfUnique(GlobalOpenTelemetry::get);
      return new OpenTelemetryTracer(telemetry);
    }
  }
}
