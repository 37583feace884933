package io.svc.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.json.Json;
import io.svc.spring.approval.ApprovalEndpoints;
import io.svc.spring.autoconfigure.SvcAutoConfiguration;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.testing.FakeRuntime;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class ApprovalTest {
  private final FakeRuntime runtime = FakeRuntime.start();
  private final StubModel model = StubModel.echo();

  @AfterEach
  void stop() {
    runtime.close();
  }

  @Test
  void aRejectionHasTheExecutionAndTheComment() throws InterruptedException {
    application("spring.svc.approval.enabled=true")
        .run(
            context -> {
              CompletableFuture<String> asked = ask(context);
              String id = pendingId(context);
              Map<String, Object> decision =
                  Map.of("decision", "rejected", "comment", "too much", "user_id", "reviewer");
              assertEquals(
                  Json.object("execution_id", id, "accepted", true), decide(context, id, decision));
              ApprovalRejectedException error = rejection(asked);
              assertEquals(id, error.executionId());
              assertEquals("too much", error.comment().orElseThrow());
              assertEquals(0, model.calls.get());
              assertEquals("failed", runtime.statusOf(id));
            });
  }

  @Test
  void aStreamWaitsTooAndGoesOnAfterAnApproval() {
    application("spring.svc.approval.enabled=true")
        .run(
            context -> {
              CompletableFuture<List<String>> asked =
                  Application.clientOf(context)
                      .prompt("hello")
                      .advisors(a -> a.param(SvcContextKeys.APPROVAL_REQUIRED, true))
                      .stream()
                      .content()
                      .collectList()
                      .toFuture();
              decide(context, pendingId(context), Map.of("decision", "approved"));
              assertEquals("Re: hello", String.join("", asked.get()));
            });
  }

  @Test
  void duringAnOutageTheCallWaitsForADecisionInThisProcess() {
    runtime.close();
    application("spring.svc.approval.enabled=true")
        .run(
            context -> {
              RuntimeLink link = context.getBean(RuntimeLink.class);
              Eventually.until("away", () -> link.outage() != null);
              CompletableFuture<String> asked = ask(context);
              String id = pendingId(context);
              assertTrue(id.startsWith("local_"), id);
              assertEquals(0, model.calls.get());
              decide(context, id, Map.of("decision", "approved"));
              assertEquals("Re: hello", asked.get());
            });
  }

  @Test
  void anOutageWhileACallWaitsDoesNotLengthenItsTimeout() {
    application("spring.svc.approval.enabled=true", "spring.svc.approval.timeout=1s")
        .run(
            context -> {
              CompletableFuture<String> asked = ask(context);
              String id = pendingId(context);
              runtime.close();
              assertEquals(
                  "No decision came within 1s.", rejection(asked).comment().orElseThrow());
              runtime.open();
              Eventually.until("failed", () -> runtime.statusOf(id).equals("failed"));
              Map<String, Object> sent = runtime.requestsTo("/approve").getFirst().body();
              assertEquals("rejected", sent.get("decision"));
            });
  }

  @Test
  void withoutApprovalsTheKeyHasNoEffect() {
    application()
        .run(
            context -> {
              assertEquals("Re: hello", ask(context).get());
              assertEquals(0, context.getBeansOfType(ApprovalEndpoints.class).size());
            });
  }

  private ReactiveWebApplicationContextRunner application(String... properties) {
    return new ReactiveWebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SvcAutoConfiguration.class))
        .withUserConfiguration(Application.Clients.class)
        .withBean("model", ChatModel.class, () -> model)
        .withPropertyValues("spring.svc.runtime-url=" + runtime.url())
        .withPropertyValues(properties);
  }

  private static CompletableFuture<String> ask(ApplicationContext context) {
    ChatClient client = Application.clientOf(context);
    return CompletableFuture.supplyAsync(
        () ->
            client
                .prompt("hello")
                .advisors(a -> a.param(SvcContextKeys.APPROVAL_REQUIRED, true))
                .call()
                .content(),
        task -> Thread.ofVirtual().start(task));
  }

  private static String pendingId(ApplicationContext context) {
    Eventually.until("pending", () -> !pending(context).isEmpty());
    return (String) pending(context).getFirst().get("execution_id");
  }

  private static List<Map<String, Object>> pending(ApplicationContext context) {
    ApprovalEndpoints endpoints = context.getBean(ApprovalEndpoints.class);
    return Json.asObjects(Json.parse(endpoints.pending().block().getBody()));
  }

  private static Object decide(
      ApplicationContext context, String id, Map<String, Object> decision) {
    byte[] body = Json.write(decision).getBytes(StandardCharsets.UTF_8);
    ApprovalEndpoints endpoints = context.getBean(ApprovalEndpoints.class);
    return Json.parse(endpoints.decide(id, body).block().getBody());
  }

  private static ApprovalRejectedException rejection(CompletableFuture<String> asked) {
    ExecutionException error = assertThrows(ExecutionException.class, asked::get);
    return (ApprovalRejectedException) error.getCause();
  }
}
