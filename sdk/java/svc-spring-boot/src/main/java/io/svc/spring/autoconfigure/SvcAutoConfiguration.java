package io.svc.spring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.svc.spring.ModelCosts;
import io.svc.spring.SvcProperties;
import io.svc.spring.audit.AuditAdvisor;
import io.svc.spring.call.DurabilityAdvisor;
import io.svc.spring.call.Executions;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.ClientRuntime;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.runtime.RuntimeApi;
import java.time.Duration;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.api.Advisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** The companion: durability and audit of model calls, approvals, meters, spans and health. */
@AutoConfiguration(
    beforeName = {
      "org.springframework.ai.model.chat.client.autoconfigure.ChatClientAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.health.HealthContributorAutoConfiguration",
      "org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration"
    })
@ConditionalOnClass(ChatClient.class)
@ConditionalOnProperty(
    prefix = "spring.svc",
    name = "durability-enabled",
    havingValue = "true",
    matchIfMissing = true)
@EnableConfigurationProperties(SvcProperties.class)
@Import({
  ApprovalConfiguration.class,
  ObservabilityConfiguration.class,
  HealthOfBoot3Configuration.class,
  HealthOfBoot4Configuration.class
})
public class SvcAutoConfiguration {
  private static final int AUDIT_ENTRIES_MAX = 10_000;
  private static final Duration DRAIN_MAX = Duration.ofSeconds(10);

  @Bean
  static AdvisorsOfBuilders svcAdvisorsOfBuilders(ObjectProvider<Advisor> advisors) {
    return new AdvisorsOfBuilders(advisors);
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty("spring.svc.runtime-url")
  RuntimeApi svcRuntime(SvcProperties properties) {
    return new ClientRuntime(properties);
  }

  @Bean
  ModelCallWorkflow svcModelCallWorkflow(SvcProperties properties, Environment environment) {
    String application = environment.getProperty("spring.application.name", "spring-ai");
    return new ModelCallWorkflow(application, properties.getApproval().getTimeout());
  }

  @Bean(initMethod = "open")
  RuntimeLink svcRuntimeLink(ObjectProvider<RuntimeApi> runtime, ModelCallWorkflow workflow) {
    return new RuntimeLink(runtime.getIfAvailable(), workflow);
  }

  @Bean
  Outbox svcOutbox(RuntimeLink link) {
    return new Outbox(link, AUDIT_ENTRIES_MAX, DRAIN_MAX);
  }

  @Bean
  Executions svcExecutions(
      RuntimeLink link,
      ModelCallWorkflow workflow,
      Outbox outbox,
      Meters meters,
      Tracer tracer,
      SvcProperties properties) {
    Executions.Approvals approvals =
        new Executions.Approvals(
            properties.getApproval().isEnabled(), properties.getAudit().isIncludePrompts());
    return new Executions(link, workflow, outbox, meters, tracer, approvals);
  }

  @Bean
  DurabilityAdvisor svcDurabilityAdvisor(
      Executions executions,
      RuntimeLink link,
      Tracer tracer,
      ObjectProvider<ObservationRegistry> observations,
      ObjectProvider<ModelCosts> costs) {
    return new DurabilityAdvisor(
        executions,
        link,
        tracer,
        SingletonSupplier.of(() -> observations.getIfUnique(() -> ObservationRegistry.NOOP)),
        costs::getIfUnique);
  }

  @Bean
  @ConditionalOnProperty(
      prefix = "spring.svc.audit",
      name = "enabled",
      havingValue = "true",
      matchIfMissing = true)
  AuditAdvisor svcAuditAdvisor(
      Executions executions, Outbox outbox, Meters meters, SvcProperties properties) {
    return new AuditAdvisor(executions, outbox, meters, properties.getAudit());
  }
}
