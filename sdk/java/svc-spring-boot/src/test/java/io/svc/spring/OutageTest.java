package io.svc.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.testing.FakeRuntime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class OutageTest {
  private static final int CALLS = 20;
  private final FakeRuntime runtime = FakeRuntime.start();

  @AfterEach
  void stop() {
    runtime.close();
  }

  @Test
  void aBadTokenIsAnOutageThatOneWarningTellsAndNoCallWaitsFor(CapturedOutput output) {
    runtime.spoil(answer -> answer.withStatus(401));
    application()
        .run(
            context -> {
              RuntimeLink link = context.getBean(RuntimeLink.class);
              Eventually.until("away", () -> link.outage() != null);
              ChatClient client = Application.clientOf(context);
              for (int made = 0; made < CALLS; made++) {
                assertEquals("Re: hello", client.prompt("hello").call().content());
                assertEquals("Re: hi", String.join("", streamOf(client, "hi")));
              }
              assertEquals(2 * CALLS, link.undurableCalls());
              assertEquals(1, output.getAll().split("The svc runtime is away").length - 1);
              // Only the registrations of the link itself.
              assertTrue(runtime.requests().stream().allMatch(this::isRegistration));
            });
  }

  @Test
  void theEndOfAnOutageMakesCallsDurableAgain(CapturedOutput output) {
    runtime.close();
    application()
        .run(
            context -> {
              RuntimeLink link = context.getBean(RuntimeLink.class);
              Eventually.until("away", () -> link.outage() != null);
              Application.clientOf(context).prompt("hello").call().content();
              runtime.open();
              Eventually.until("back", () -> link.outage() == null);
              Application.clientOf(context).prompt("hello").call().content();
              assertEquals(1, runtime.executionIds().size());
              assertTrue(output.getAll().contains("Calls without durability: 1."));
            });
  }

  @Test
  void entriesArriveInOrderAndOnceThoughAnswersAreLost() {
    application()
        .run(
            context -> {
              ChatClient client = Application.clientOf(context);
              runtime.spoil(
                  answer ->
                      answer.request().path().endsWith("/external-event")
                              && runtime.requestsTo("/external-event").size() <= 2
                          ? answer.withStatus(0)
                          : answer);
              client.prompt("hello").call().content();
              String id = runtime.executionIds().getFirst();
              Eventually.until("completed", () -> runtime.statusOf(id).equals("completed"));
              List<Object> types =
                  runtime.eventsOf(id).stream().map(event -> event.get("type")).toList();
              assertEquals(
                  java.util.Arrays.asList("prompt", "response", null), types);
            });
  }

  @Test
  void auditEntriesHaveABoundAndEndsOfCallsHaveNone(CapturedOutput output) {
    runtime.close();
    application()
        .run(
            context -> {
              RuntimeLink link = context.getBean(RuntimeLink.class);
              Eventually.until("away", () -> link.outage() != null);
              try (Outbox outbox = new Outbox(link, CALLS, Duration.ofMillis(50))) {
                long kept =
                    IntStream.range(0, 3 * CALLS)
                        .filter(at -> outbox.addOrDrop("exec_" + at, (api, again) -> {}))
                        .count();
                assertEquals(CALLS, kept);
                outbox.add("exec_end", (api, again) -> {});
                assertEquals(CALLS + 1, outbox.pending());
              }
              assertEquals(1, output.getAll().split("Audit entries are dropped").length - 1);
              assertTrue(output.getAll().contains("has taken " + (CALLS + 1) + " entries"));
            });
  }

  @Test
  void closingDrainsWhatWaits() {
    application()
        .run(context -> Application.clientOf(context).prompt("hello").call().content());
    String id = runtime.executionIds().getFirst();
    assertEquals("completed", runtime.statusOf(id));
    assertEquals(3, runtime.eventsOf(id).size());
  }

  private boolean isRegistration(FakeRuntime.Request request) {
    return request.path().equals("/workflows");
  }

  private static List<String> streamOf(ChatClient client, String question) {
    return client.prompt(question).stream().content().collectList().block();
  }

  private ApplicationContextRunner application() {
    assertFalse(runtime.url().isEmpty());
    return Application.with(StubModel.echo())
        .withPropertyValues("spring.svc.runtime-url=" + runtime.url());
  }
}
