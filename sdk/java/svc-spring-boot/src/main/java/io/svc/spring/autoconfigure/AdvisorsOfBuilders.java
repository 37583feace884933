package io.svc.spring.autoconfigure;

import io.svc.spring.approval.ApprovalAdvisor;
import io.svc.spring.audit.AuditAdvisor;
import io.svc.spring.call.DurabilityAdvisor;
import java.util.List;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.advisor.api.Advisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Gives every builder of a {@code ChatClient} that is a bean the companion's advisors. The customisers
 * of Spring AI have other names in 2.0, and reach its own builder only.
 */
final class AdvisorsOfBuilders implements BeanPostProcessor {
  private final ObjectProvider<Advisor> advisors;

  AdvisorsOfBuilders(ObjectProvider<Advisor> advisors) {
    this.advisors = advisors;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (bean instanceof ChatClient.Builder builder) {
      List<Advisor> ours = advisors.stream().filter(AdvisorsOfBuilders::isOurs).toList();
      builder.defaultAdvisors(ours);
    }
    return bean;
  }

  private static boolean isOurs(Advisor advisor) {
    return advisor instanceof DurabilityAdvisor
        || advisor instanceof ApprovalAdvisor
        || advisor instanceof AuditAdvisor;
  }
}
