package io.svc.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.svc.testing.SvcRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.List;

/** A server that gives prepared answers in order, and keeps what it was asked. */
public final class FakeServer implements AutoCloseable {
  public record Answer(int status, String body, String retryAfter, CompletableFuture<?> after) {}

  public record Asked(String method, String path, String idempotencyKey, String body) {}

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final HttpServer server;
  private final Queue<Answer> answers = new ArrayDeque<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();

  public FakeServer() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    server = HttpServer.create(new InetSocketAddress(loopback, SvcRuntime.freePort()), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A status of 0 breaks the connection. */
  public FakeServer then(int status, String body) {
    return then(status, body, null);
  }

  public FakeServer then(int status, String body, String retryAfter) {
    return add(new Answer(status, body, retryAfter, DONE));
  }

  /** The answer comes once {@code after} is complete. */
  public FakeServer thenAfter(CompletableFuture<?> after, int status, String body) {
    return add(new Answer(status, body, null, after));
  }

  private FakeServer add(Answer answer) {
    synchronized (answers) {
      answers.add(answer);
    }
    return this;
  }

  public List<Asked> asked() {
    return asked;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String key = exchange.getRequestHeaders().getFirst("idempotency-key");
    asked.add(
        new Asked(exchange.getRequestMethod(), exchange.getRequestURI().toString(), key, body));
    Answer next = take();
    next.after.join();
    if (next.status == 0) {
      // The server closes the connection of an exchange that throws.
      throw new IOException("broken on purpose");
    }
    if (next.retryAfter != null) {
      exchange.getResponseHeaders().set("retry-after", next.retryAfter);
    }
    byte[] bytes = next.body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(next.status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Answer take() {
    synchronized (answers) {
      Answer next = answers.poll();
      return next != null
          ? next
          : new Answer(500, "{\"error\": \"no answer is prepared\"}", null, DONE);
    }
  }
}
