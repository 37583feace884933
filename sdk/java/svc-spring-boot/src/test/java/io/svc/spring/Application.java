package io.svc.spring;

import io.svc.spring.autoconfigure.SvcAutoConfiguration;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with the companion and a builder of clients. */
final class Application {
  private Application() {}

  static ApplicationContextRunner with(ChatModel model, String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SvcAutoConfiguration.class))
        .withUserConfiguration(Clients.class)
        .withBean("model", ChatModel.class, () -> model)
        .withPropertyValues("spring.application.name=shop")
        .withPropertyValues(properties);
  }

  static ChatClient clientOf(ApplicationContext context) {
    return context.getBean(ChatClient.Builder.class).build();
  }

  @Configuration(proxyBeanMethods = false)
  static class Clients {
    @Bean
    ChatClient.Builder builder(ChatModel model) {
      return ChatClient.builder(model);
    }
  }
}
