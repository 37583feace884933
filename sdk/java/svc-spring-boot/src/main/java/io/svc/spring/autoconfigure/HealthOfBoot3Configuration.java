package io.svc.spring.autoconfigure;

import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeLink;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health indicator where Spring Boot has the package of generation 3. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
class HealthOfBoot3Configuration {
  @Bean
  HealthIndicator svcHealthIndicator(RuntimeLink link, Outbox outbox) {
    return () -> {
      HealthReport report = HealthReport.of(link, outbox);
      Health.Builder builder = report.isUp() ? Health.up() : Health.unknown();
      return builder.withDetails(report.details()).build();
    };
  }
}
