package io.svc.internal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Sends one request of JSON to the runtime. */
public final class Transport implements AutoCloseable {
  private final Address address;
  private final HttpClient http;

  public Transport(Address address, Duration connectTimeout) {
    this.address = address;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(connectTimeout)
            .build();
  }

  /** What a request consists of. A body of null is none. */
  public record Call(
      String method, String path, Map<String, ?> query, Map<String, String> headers, byte[] body) {
    public static Call of(String method, String path, String body) {
      byte[] bytes = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
      return new Call(method, path, Map.of(), Map.of(), bytes);
    }
  }

  public Address address() {
    return address;
  }

  /**
   * Waits for the whole answer. An interrupt closes the connection.
   *
   * @throws HttpTimeoutException when the answer is not there in time
   * @throws InterruptedIOException when the thread is interrupted; its flag is set again
   * @throws IOException when there is no connection, or it breaks
   */
  public HttpResponse<byte[]> send(Call call, Duration timeout) throws IOException {
    return await(begin(call), timeout);
  }

  /** The same; null when the signal is set first. Then the connection is closed. */
  public HttpResponse<byte[]> send(Call call, Duration timeout, Signal stopping)
      throws IOException {
    CompletableFuture<HttpResponse<byte[]>> sending = begin(call);
    Runnable cancel = () -> sending.cancel(true);
    stopping.onSet(cancel);
    try {
      return await(sending, timeout);
    } catch (IOException | CancellationException error) {
      if (stopping.isSet()) {
        return null;
      }
      throw error;
    } finally {
      stopping.forget(cancel);
    }
  }

  private CompletableFuture<HttpResponse<byte[]>> begin(Call call) {
    return http.sendAsync(request(call), HttpResponse.BodyHandlers.ofByteArray());
  }

  private static HttpResponse<byte[]> await(
      CompletableFuture<HttpResponse<byte[]>> sending, Duration timeout) throws IOException {
    try {
      return sending.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException error) {
      sending.cancel(true);
      throw new HttpTimeoutException("no answer within " + timeout.toMillis() + " ms");
    } catch (InterruptedException error) {
      sending.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException error) {
      if (error.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IOException(error.getCause());
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private HttpRequest request(Call call) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url(call)));
    builder.header("accept", "application/json");
    address.headers().forEach(builder::header);
    call.headers().forEach(builder::setHeader);
    if (call.body() == null) {
      return builder.method(call.method(), HttpRequest.BodyPublishers.noBody()).build();
    }
    HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofByteArray(call.body());
    builder.setHeader("content-type", "application/json");
    return builder.method(call.method(), body).build();
  }

  private String url(Call call) {
    String query =
        call.query().entrySet().stream()
            .filter(entry -> entry.getValue() != null)
            .map(entry -> encode(entry.getKey()) + "=" + encode(entry.getValue().toString()))
            .collect(Collectors.joining("&"));
    return address.url() + call.path() + (query.isEmpty() ? "" : "?" + query);
  }

  /** One part of a path, or of a query. */
  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
