package io.svc.internal.request;

import io.svc.errors.WorkerRefusedException;
import io.svc.internal.Address;
import io.svc.internal.Signal;
import io.svc.internal.Transport;
import io.svc.internal.Unreached;
import io.svc.json.Json;
import io.svc.json.JsonException;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/**
 * Requests of a worker.
 *
 * <p>An answer says what happened. No answer, a 408, a 429 and a 5xx leave it unknown, so the
 * worker sends the same request again. The runtime makes that safe: every change names the fence of
 * the lease.
 */
public final class Api implements AutoCloseable {
  public static final Duration ANSWER_MAX = Duration.ofSeconds(15);
  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final double RETRY_AFTER_S_MAX = 60;
  private static final Signal NEVER = new Signal();
  private final Transport transport;

  public Api(Address address) {
    transport = new Transport(address, CONNECT_MAX);
  }

  public String url() {
    return transport.address().url();
  }

  public Answer post(String path, Object body, Duration timeout) throws NoAnswer {
    return send("POST", path, body, timeout, NEVER);
  }

  /** Sends once; null when the signal is set first. */
  public Answer send(String method, String path, Object body, Duration timeout, Signal stopping)
      throws NoAnswer {
    String text = body == null ? null : Json.write(body);
    try {
      HttpResponse<byte[]> response =
          transport.send(Transport.Call.of(method, path, text), timeout, stopping);
      return response == null ? null : read(response);
    } catch (IOException error) {
      if (Unreached.isCause(error)) {
        throw new NoAnswer(Unreached.explain(transport.address(), error), 0);
      }
      String said = error.getMessage() != null ? error.getMessage() : error.getClass().getName();
      throw new NoAnswer(url() + path + ": " + said, 0);
    } catch (IllegalArgumentException error) {
      throw new WorkerRefusedException(error.getMessage(), 0);
    }
  }

  /** Null when the lease is lost first. */
  public Answer getUntilAnswered(String path, Signal lost) {
    for (int failures = 0; !lost.isSet(); ) {
      try {
        return send("GET", path, null, ANSWER_MAX, NEVER);
      } catch (NoAnswer error) {
        lost.await(error.pauseMs(++failures));
      }
    }
    return null;
  }

  @Override
  public void close() {
    transport.close();
  }

  /** Says what to do about an answer that no repetition changes. */
  public WorkerRefusedException refusal(Answer answer) {
    return new WorkerRefusedException(
        Advice.on(answer, transport.address()), answer.status());
  }

  private static Answer read(HttpResponse<byte[]> response) throws NoAnswer {
    int status = response.statusCode();
    if (Answer.isUnknown(status)) {
      throw new NoAnswer("the runtime answered " + status, retryAfterMs(response));
    }
    Map<String, Object> body = objectIn(response.body());
    if (status == 200 && body == null) {
      // A proxy that answers for the runtime may say 200, too.
      throw new NoAnswer("the answer is no JSON object", 0);
    }
    return new Answer(status, body == null ? Map.of() : body);
  }

  /** Null: it is something else. */
  private static Map<String, Object> objectIn(byte[] body) {
    try {
      return Json.parse(body) instanceof Map<?, ?> object ? Json.asObject(object) : null;
    } catch (JsonException error) {
      return null;
    }
  }

  private static long retryAfterMs(HttpResponse<?> response) {
    try {
      double seconds =
          Double.parseDouble(response.headers().firstValue("retry-after").orElse("0"));
      return (long) (Math.clamp(seconds, 0, RETRY_AFTER_S_MAX) * 1000);
    } catch (NumberFormatException error) {
      return 0;
    }
  }
}
