package io.svc.spring.autoconfigure;

import io.svc.spring.SvcProperties;
import io.svc.spring.approval.ApprovalAdvisor;
import io.svc.spring.approval.ApprovalEndpoints;
import io.svc.spring.approval.ApprovalGate;
import io.svc.spring.approval.ApprovalWebhook;
import io.svc.spring.approval.Approvals;
import io.svc.spring.call.Executions;
import io.svc.spring.observe.Meters;
import io.svc.spring.observe.Tracer;
import io.svc.spring.runtime.ModelCallWorkflow;
import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeLink;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The gate, and in web applications its endpoints. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "spring.svc.approval", name = "enabled", havingValue = "true")
class ApprovalConfiguration {
  @Bean
  ApprovalWebhook svcApprovalWebhook(SvcProperties properties) {
    return new ApprovalWebhook(properties.getApproval().getWebhookUrl());
  }

  @Bean
  ApprovalGate svcApprovalGate(
      RuntimeLink link,
      Outbox outbox,
      ApprovalWebhook webhook,
      Meters meters,
      Tracer tracer,
      SvcProperties properties) {
    return new ApprovalGate(link, outbox, webhook, meters, tracer, properties);
  }

  @Bean
  ApprovalAdvisor svcApprovalAdvisor(Executions executions, ApprovalGate gate) {
    return new ApprovalAdvisor(executions, gate);
  }

  /** Only a web application has endpoints. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication
  static class Endpoints {
    @Bean
    ApprovalEndpoints svcApprovalEndpoints(
        ApprovalGate gate, RuntimeLink link, ModelCallWorkflow workflow, SvcProperties properties) {
      return new ApprovalEndpoints(new Approvals(gate, link, workflow, properties.getApproval()));
    }
  }
}
