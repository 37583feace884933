package io.svc.spring.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.svc.json.Json;
import io.svc.testing.SvcRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;

/**
 * A runtime in the process of the test. It remembers what it is asked, and can fail as a network or
 * a service does. It runs model calls and approvals, and no other workflow.
 */
public final class FakeRuntime implements AutoCloseable {
  private final int port = SvcRuntime.freePort();
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final FakeExecutions executions = new FakeExecutions();
  private volatile UnaryOperator<Answer> mischief = UnaryOperator.identity();
  private HttpServer server;
  private ExecutorService threads;

  /**
   * A request that has arrived.
   *
   * @param method such as {@code POST}
   * @param path without the query
   * @param headers by name in lower case
   * @param body the object of the body; empty if there is none
   */
  public record Request(
      String method, String path, Map<String, String> headers, Map<String, Object> body) {}

  /**
   * An answer of the fake.
   *
   * @param request what was asked
   * @param status the HTTP status; 0 breaks the connection instead of answering
   * @param body JSON
   */
  public record Answer(Request request, int status, Object body) {
    /**
     * The same with another status.
     *
     * @param status the HTTP status; 0 breaks the connection instead of answering
     * @return a new answer
     */
    public Answer withStatus(int status) {
      return new Answer(request, status, status < 400 ? body : Map.of("error", "status " + status));
    }
  }

  private FakeRuntime() {}

  /**
   * Starts a fake on a free port.
   *
   * @return the fake; close it
   */
  public static FakeRuntime start() {
    FakeRuntime runtime = new FakeRuntime();
    runtime.open();
    return runtime;
  }

  /**
   * The address for {@code spring.svc.runtime-url}.
   *
   * @return such as {@code http://127.0.0.1:20123}
   */
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** Listens again, at the same address. */
  public void open() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    threads = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  /** Stops listening. What it remembers stays. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /**
   * Changes the answers from now on. The change that was asked for has been made by then, so a
   * broken connection is a lost answer.
   *
   * @param mischief gives another answer, or the same one
   */
  public void spoil(UnaryOperator<Answer> mischief) {
    this.mischief = mischief;
  }

  /**
   * All requests in the order of their arrival.
   *
   * @return a copy
   */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /**
   * Requests to paths that end so.
   *
   * @param end such as {@code /external-event}
   * @return a copy
   */
  public List<Request> requestsTo(String end) {
    return requests.stream().filter(request -> request.path().endsWith(end)).toList();
  }

  /**
   * The executions in the order of their start.
   *
   * @return their ids
   */
  public List<String> executionIds() {
    return executions.ids();
  }

  /**
   * The status of an execution.
   *
   * @param executionId its id
   * @return {@code running}, {@code paused}, {@code completed}, {@code failed} or {@code cancelled}
   */
  public String statusOf(String executionId) {
    return executions.statusOf(executionId);
  }

  /**
   * The payloads of the external events of an execution.
   *
   * @param executionId its id
   * @return in the order of their arrival
   */
  public List<Map<String, Object>> eventsOf(String executionId) {
    return executions.payloadsOf(executionId);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Request request = read(exchange);
      requests.add(request);
      Answer answer = mischief.apply(executions.answer(request));
      if (answer.status() == 0) {
        return;
      }
      byte[] body = Json.write(answer.body()).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "application/json; charset=utf-8");
      exchange.sendResponseHeaders(answer.status(), body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static Request read(HttpExchange exchange) throws IOException {
    byte[] bytes = exchange.getRequestBody().readAllBytes();
    Map<String, Object> body = bytes.length == 0 ? Map.of() : Json.asObject(Json.parse(bytes));
    Map<String, String> headers = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.getFirst()));
    return new Request(
        exchange.getRequestMethod(), exchange.getRequestURI().getPath(), headers, body);
  }
}
