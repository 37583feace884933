package io.svc.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.svc.client.SvcClient;
import io.svc.spring.testing.FakeRuntime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;

class DurabilityTest {
  private final FakeRuntime runtime = FakeRuntime.start();

  @AfterEach
  void stop() {
    runtime.close();
  }

  @Test
  void requestsCarryTokenAndTenant() {
    application(StubModel.echo(), "spring.svc.api-token=secret", "spring.svc.tenant-id=acme")
        .run(
            context -> {
              Application.clientOf(context).prompt("hello").call().content();
              for (FakeRuntime.Request request : runtime.requests()) {
                assertEquals("Bearer secret", request.headers().get("authorization"));
                assertEquals("acme", request.headers().get("x-tenant-id"));
              }
            });
  }

  @Test
  void anErrorIsPassedOnUnchanged() {
    RuntimeException thrown = new IllegalStateException("no quota");
    StubModel model = failing(thrown);
    application(model)
        .run(
            context -> {
              ChatClient client = Application.clientOf(context);
              assertSame(
                  thrown,
                  assertThrows(RuntimeException.class, () -> client.prompt("a").call().content()));
              assertSame(
                  thrown,
                  assertThrows(
                      RuntimeException.class,
                      () -> client.prompt("b").stream().content().blockLast()));
              for (String id : runtime.executionIds()) {
                Eventually.until("failed", () -> runtime.statusOf(id).equals("failed"));
                assertEquals(
                    "IllegalStateException: no quota",
                    runtime.eventsOf(id).getLast().get("error"));
              }
              assertEquals(2, runtime.executionIds().size());
            });
  }

  @Test
  void aStreamThatIsLeftBeforeItsExecutionIsKnownIsCancelled() {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    application(StubModel.echo())
        .run(
            context -> {
              runtime.spoil(
                  answer -> {
                    if (answer.request().path().equals("/executions")) {
                      asked.countDown();
                      await(released);
                    }
                    return answer;
                  });
              ChatClient client = Application.clientOf(context);
              Disposable stream = client.prompt("hello").stream().content().subscribe();
              await(asked);
              stream.dispose();
              released.countDown();
              String id = runtime.executionIds().getFirst();
              Eventually.until("cancelled", () -> runtime.statusOf(id).equals("cancelled"));
            });
  }

  @Test
  void aStartWhoseAnswerIsLostLeavesNoExecutionOpen() {
    application(StubModel.echo())
        .run(
            context -> {
              ChatClient client = Application.clientOf(context);
              client.prompt("first").call().content();
              runtime.spoil(
                  answer ->
                      answer.request().path().equals("/executions")
                          ? answer.withStatus(0)
                          : answer);
              assertEquals("Re: lost", client.prompt("lost").call().content());
              runtime.spoil(answer -> answer);
              assertEquals(2, runtime.executionIds().size());
              String lost = runtime.executionIds().getLast();
              Eventually.until("cancelled", () -> runtime.statusOf(lost).equals("cancelled"));
              assertEquals(2, runtime.executionIds().size());
            });
  }

  @Test
  void anExecutionOfAnotherWorkflowIsJoinedAndNotEnded() {
    String id = startOther();
    application(StubModel.echo())
        .run(
            context -> {
              ChatClientResponse response = call(context, id);
              assertEquals(id, response.context().get(SvcContextKeys.EXECUTION_ID));
              assertEquals("other", response.context().get(SvcContextKeys.WORKFLOW_ID));
            });
    // The application has told all that it had to tell.
    assertEquals(2, runtime.eventsOf(id).size());
    assertEquals("running", runtime.statusOf(id));
  }

  @Test
  void anUnknownExecutionIsReplacedByANewOne() {
    application(StubModel.echo())
        .run(
            context -> {
              Object id = call(context, "exec_none").context().get(SvcContextKeys.EXECUTION_ID);
              assertNotEquals("exec_none", id);
              assertEquals(List.of(id), runtime.executionIds());
            });
  }

  @Test
  void theEndOfTheApplicationCancelsCallsUnderWay() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    StubModel model =
        new StubModel(
            question -> {
              asked.countDown();
              await(released);
              return question;
            });
    Thread[] caller = new Thread[1];
    application(model)
        .run(
            context -> {
              ChatClient client = Application.clientOf(context);
              caller[0] = Thread.startVirtualThread(() -> client.prompt("long").call().content());
              await(asked);
            });
    assertEquals("cancelled", runtime.statusOf(runtime.executionIds().getFirst()));
    released.countDown();
    caller[0].join();
  }

  @Test
  void aRefusedStartIsNoOutage() {
    application(StubModel.echo())
        .run(
            context -> {
              runtime.spoil(
                  answer ->
                      answer.request().path().equals("/executions")
                          ? answer.withStatus(429)
                          : answer);
              assertNull(call(context, null).context().get(SvcContextKeys.EXECUTION_ID));
              runtime.spoil(answer -> answer);
              call(context, null);
              assertEquals(2, runtime.requestsTo("/executions").size());
            });
  }

  @Test
  void aStreamEndsItsExecutionOnce() {
    application(StubModel.echo())
        .run(context -> Application.clientOf(context).prompt("a").stream().content().blockLast());
    assertEquals("completed", runtime.statusOf(runtime.executionIds().getFirst()));
    assertEquals(3, runtime.requestsTo("/external-event").size());
    assertEquals(List.of(), runtime.requestsTo("/cancel"));
  }

  @Test
  void aCallInsideACallLeavesTheEndToTheOuterOne() {
    ChatClient[] inner = new ChatClient[1];
    Object[] seen = new Object[2];
    StubModel model =
        new StubModel(
            question -> {
              if (question.equals("hello")) {
                String id = runtime.executionIds().getFirst();
                seen[0] =
                    inner[0]
                        .prompt("inside")
                        .advisors(a -> a.param(SvcContextKeys.EXECUTION_ID, id))
                        .call()
                        .chatClientResponse()
                        .context()
                        .get(SvcContextKeys.EXECUTION_ID);
                seen[1] = runtime.statusOf(id);
              }
              return question;
            });
    application(model)
        .run(
            context -> {
              inner[0] = Application.clientOf(context);
              call(context, null);
              String id = runtime.executionIds().getFirst();
              Eventually.until("completed", () -> runtime.statusOf(id).equals("completed"));
              assertEquals(List.of(id, "running"), List.of(seen));
              assertEquals(1, runtime.executionIds().size());
              // Two prompts, two responses, and one end.
              assertEquals(5, runtime.eventsOf(id).size());
            });
  }

  @Test
  void anAnswerThatIsNoneOfSvcFailsNoCall() {
    application(StubModel.echo())
        .run(
            context -> {
              runtime.spoil(
                  answer -> new FakeRuntime.Answer(answer.request(), 201, Map.of("odd", true)));
              assertEquals(
                  "Re: hello", call(context, "exec_odd").chatResponse().getResult().getOutput()
                      .getText());
            });
  }

  @Test
  void aPriceThatCannotBeToldFailsNoCall() {
    application(StubModel.echo())
        .withBean(
            ModelCosts.class,
            () ->
                (model, usage) -> {
                  throw new IllegalStateException("no such model");
                })
        .run(
            context -> {
              call(context, null);
              String id = runtime.executionIds().getFirst();
              Eventually.until("completed", () -> runtime.statusOf(id).equals("completed"));
            });
  }

  @Test
  void messagesOfAPromptAreRecordedLineByLine() {
    application(StubModel.echo())
        .run(
            context -> {
              Application.clientOf(context).prompt("hello").system("Be brief.").call().content();
              String id = runtime.executionIds().getFirst();
              Eventually.until("audited", () -> !runtime.eventsOf(id).isEmpty());
              assertEquals("Be brief.\nhello", runtime.eventsOf(id).getFirst().get("content"));
            });
  }

  private ApplicationContextRunner application(StubModel model, String... properties) {
    return Application.with(model, properties)
        .withPropertyValues("spring.svc.runtime-url=" + runtime.url());
  }

  private static ChatClientResponse call(
      ApplicationContext context, String executionId) {
    Map<String, Object> keys =
        executionId == null ? Map.of() : Map.of(SvcContextKeys.EXECUTION_ID, executionId);
    return Application.clientOf(context)
        .prompt("hello")
        .advisors(advisors -> advisors.params(keys))
        .call()
        .chatClientResponse();
  }

  private String startOther() {
    try (SvcClient client = SvcClient.builder().url(runtime.url()).build()) {
      Map<String, Object> start = Map.of("workflow_id", "other", "input", Map.of());
      return (String) client.request("POST", "/executions", null, start).get("execution_id");
    }
  }

  private static StubModel failing(RuntimeException error) {
    return new StubModel(
        question -> {
          throw error;
        });
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
