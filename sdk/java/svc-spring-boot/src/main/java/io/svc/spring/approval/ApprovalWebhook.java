package io.svc.spring.approval;

import io.svc.json.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Tells an external address of calls that wait. A message that fails delays no call. */
public final class ApprovalWebhook implements AutoCloseable {
  private static final Log log = LogFactory.getLog(ApprovalWebhook.class);
  private static final int ATTEMPTS = 3;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private final URI address;
  private final HttpClient http;

  /**
   * Messages to an address.
   *
   * @param url null: none are sent
   */
  public ApprovalWebhook(String url) {
    address = url == null || url.isBlank() ? null : URI.create(url);
    http = address == null ? null : HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  }

  /** Sends a message in the background. */
  void announce(Waiter waiter) {
    if (address != null) {
      Thread.ofVirtual().name("svc-webhook").start(() -> send(waiter));
    }
  }

  @Override
  public void close() {
    if (http != null) {
      http.shutdownNow();
    }
  }

  private void send(Waiter waiter) {
    String body = Json.write(PendingApproval.of(waiter));
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(TIMEOUT)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String problem = "";
    try {
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        problem = attempt(request);
        if (problem == null) {
          return;
        }
        Thread.sleep(PAUSE.multipliedBy(attempt));
      }
      log.warn("The webhook was not told of " + waiter.executionId() + ": " + problem);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** Null: the message has arrived. */
  private String attempt(HttpRequest request) throws InterruptedException {
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status < 300 ? null : "status " + status;
    } catch (java.io.IOException error) {
      return error.toString();
    }
  }
}
