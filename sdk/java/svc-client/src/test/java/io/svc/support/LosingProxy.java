package io.svc.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.svc.testing.SvcRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/**
 * Sends each request to the real runtime, and loses the first answer to each call that it names.
 */
public final class LosingProxy implements AutoCloseable {
  private final HttpClient http = HttpClient.newHttpClient();
  private final String target;
  private final Set<String> left = ConcurrentHashMap.newKeySet();
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  public LosingProxy(String target, String... kinds) throws IOException {
    this.target = target;
    left.addAll(List.of(kinds));
    InetAddress loopback = InetAddress.getLoopbackAddress();
    server = HttpServer.create(new InetSocketAddress(loopback, SvcRuntime.freePort()), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::forward);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public boolean hasLostAll() {
    return left.isEmpty();
  }

  public List<String> bodies() {
    return bodies;
  }

  @Override
  public void close() {
    server.stop(0);
    http.shutdownNow();
  }

  private void forward(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    bodies.add(body);
    String path = exchange.getRequestURI().toString();
    HttpResponse<byte[]> response = ask(exchange.getRequestMethod(), path, body);
    boolean isLost = response.statusCode() == 200 && left.removeIf(kind -> has(kind, path, body));
    if (isLost) {
      // The server closes the connection of an exchange that throws.
      throw new IOException("lost on purpose");
    }
    byte[] bytes = response.body();
    exchange.sendResponseHeaders(response.statusCode(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private HttpResponse<byte[]> ask(String method, String path, String body) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(target + path))
            .header("content-type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException error) {
      throw new IOException(error);
    }
  }

  /** Whether a request is a call of that kind, alone or with others. */
  private static boolean has(String kind, String path, String body) {
    return path.endsWith("/" + kind) || body.contains("\"kind\":\"" + kind + "\"");
  }
}
