package io.svc.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.json.Json;
import io.svc.spring.runtime.RuntimeLink;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;

class PropertiesTest {
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

  @Test
  void theMetadataHasThePropertiesOfTheContractWithTheirDefaults() throws IOException {
    Map<String, Object> expected =
        Json.object(
            "api-token", "none",
            "approval.default-decision", "rejected",
            "approval.enabled", false,
            "approval.timeout", "30m",
            "approval.webhook-url", "none",
            "audit.enabled", true,
            "audit.include-prompts", true,
            "audit.include-responses", true,
            "connect-timeout-seconds", 10L,
            "durability-enabled", true,
            "observability.metric-prefix", "svc",
            "observability.micrometer", true,
            "observability.opentelemetry", false,
            "read-timeout-seconds", 120L,
            "runtime-url", "none",
            "tenant-id", "none");
    Map<String, Object> found = new TreeMap<>();
    try (InputStream in = getClass().getResourceAsStream(METADATA)) {
      Map<String, Object> metadata = Json.asObject(Json.parse(in.readAllBytes()));
      for (Map<String, Object> property : Json.asObjects(metadata.get("properties"))) {
        String name = ((String) property.get("name")).replaceFirst("^spring\\.svc\\.", "");
        found.put(name, property.getOrDefault("defaultValue", "none"));
        assertTrue(((String) property.get("description")).endsWith("."), name);
      }
    }
    assertEquals(expected, found);
  }

  @Test
  void withoutDurabilityNothingIsRegistered() {
    Application.with(StubModel.echo(), "spring.svc.durability-enabled=false")
        .run(
            context -> {
              assertEquals(
                  List.of(),
                  Arrays.stream(context.getBeanDefinitionNames())
                      .filter(name -> name.contains("svc"))
                      .filter(name -> !name.contains("Application$Clients"))
                      .toList());
              assertEquals(0, context.getBeansOfType(SvcProperties.class).size());
              ChatClient client = Application.clientOf(context);
              assertEquals("Re: hello", client.prompt("hello").call().content());
            });
  }

  @Test
  void theTimeoutOfApprovalsTakesSecondsMinutesAndHours() {
    for (var row : Map.of("45s", 45L, "30m", 1800L, "2h", 7200L).entrySet()) {
      Application.with(StubModel.echo(), "spring.svc.approval.timeout=" + row.getKey())
          .run(
              context ->
                  assertEquals(
                      Duration.ofSeconds(row.getValue()),
                      context.getBean(SvcProperties.class).getApproval().getTimeout()));
    }
  }

  @Test
  void anUnknownDefaultDecisionStopsTheApplication() {
    Application.with(StubModel.echo(), "spring.svc.approval.default-decision=perhaps")
        .run(context -> assertTrue(context.getStartupFailure() != null));
  }

  @Test
  void withoutAnAddressTheRuntimeIsAway() {
    Application.with(StubModel.echo())
        .run(
            context -> {
              assertEquals(
                  "spring.svc.runtime-url is not set",
                  context.getBean(RuntimeLink.class).outage());
              ChatClient client = Application.clientOf(context);
              assertEquals("Re: hello", client.prompt("hello").call().content());
            });
  }
}
