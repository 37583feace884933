package io.svc.client;

import io.svc.errors.Refusal;
import io.svc.errors.SerializationException;
import io.svc.errors.SvcException;
import io.svc.errors.ValidationException;
import io.svc.internal.Address;
import io.svc.internal.Transport;
import io.svc.json.Json;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A client of one service. It is safe for use by many threads, and blocks its caller: on a virtual
 * thread that costs little.
 *
 * <p>Every method throws a {@link SvcException}: see {@link io.svc.errors}.
 */
public final class SvcClient implements AutoCloseable {
  private final Transport transport;
  private final Explain explain;
  private final Duration timeout;
  private final Duration readTimeout;
  private final RetryPolicy retry;
  private final Workflows workflows = new Workflows(this);
  private final Executions executions = new Executions(this);
  private final Failures failures = new Failures(this);
  private final Approvals approvals = new Approvals(this);

  private SvcClient(Builder builder) {
    Address address = Address.of(builder.url, builder.token, builder.tenant);
    transport = new Transport(address, builder.connectTimeout);
    explain = new Explain(address);
    timeout = builder.timeout;
    readTimeout = builder.readTimeout;
    retry = builder.retry;
  }

  /**
   * A client of the service that {@code SVC_URL} and {@code SVC_TOKEN} name.
   *
   * @return a new client
   */
  public static SvcClient create() {
    return builder().build();
  }

  /**
   * Sets the options of a client.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The address of the service.
   *
   * @return without a slash at the end
   */
  public String url() {
    return transport.address().url();
  }

  /**
   * Registers and reads workflows.
   *
   * @return the area of workflows
   */
  public Workflows workflows() {
    return workflows;
  }

  /**
   * Lists executions.
   *
   * @return the area of executions
   */
  public Executions executions() {
    return executions;
  }

  /**
   * Lists failures by cause.
   *
   * @return the area of failures
   */
  public Failures failures() {
    return failures;
  }

  /**
   * Lists approvals of all executions.
   *
   * @return the area of approvals
   */
  public Approvals approvals() {
    return approvals;
  }

  /**
   * Starts an execution of the latest version. Returns once it is durable.
   *
   * @param workflowId the workflow
   * @param input an object of JSON: a map or a record; null is an empty one
   * @return the handle of the execution
   */
  public ExecutionHandle start(String workflowId, Object input) {
    return start(workflowId, input, StartOptions.DEFAULT);
  }

  /**
   * Starts an execution. Returns once it is durable. All attempts carry one idempotency key, so a
   * lost answer never starts a second execution.
   *
   * @param workflowId the workflow
   * @param input an object of JSON: a map or a record; null is an empty one
   * @param options version, priority, labels, times, and a key of your own
   * @return the handle of the execution
   */
  public ExecutionHandle start(String workflowId, Object input, StartOptions options) {
    Map<String, Object> body = options.toBody(workflowId, input);
    Map<String, String> headers = options.headers();
    Ask ask = new Ask("POST", "/executions", Map.of(), headers, body, Duration.ZERO, null);
    return execution((String) Json.asObject(ask(ask)).get("execution_id"));
  }

  /**
   * Starts many executions, 1 000 in one request. Those that get 429 or 503 are sent again.
   *
   * @param entries what to start; one without a key of its own gets a new one
   * @return one verdict for each, in their order
   */
  public List<StartVerdict> startMany(Collection<StartEntry> entries) {
    List<StartEntry> all = List.copyOf(entries);
    List<StartVerdict> verdicts = new ArrayList<>(all.size());
    for (int from = 0; from < all.size(); from += Batch.ENTRIES_MAX) {
      int to = Math.min(all.size(), from + Batch.ENTRIES_MAX);
      verdicts.addAll(new Batch(this, explain, retry, all.subList(from, to)).start());
    }
    return verdicts;
  }

  /**
   * Starts an execution, waits for its end and gives its output.
   *
   * @param workflowId the workflow
   * @param input an object of JSON: a map or a record; null is an empty one
   * @param timeout the longest time to wait
   * @return JSON: a map, a list, text, a number, a boolean or null
   * @throws io.svc.errors.ExecutionFailedException if it failed
   * @throws io.svc.errors.TimedOutException if it has not ended in time: it continues
   */
  public Object run(String workflowId, Object input, Duration timeout) {
    return start(workflowId, input).result(timeout);
  }

  /**
   * Starts an execution, waits for its end and gives its output as a type.
   *
   * @param <T> the type
   * @param workflowId the workflow
   * @param input an object of JSON: a map or a record; null is an empty one
   * @param type a record, {@code Map}, {@code String} …
   * @param timeout the longest time to wait
   * @return the output; null if it is null
   * @throws io.svc.errors.ExecutionFailedException if it failed
   * @throws io.svc.errors.TimedOutException if it has not ended in time: it continues
   */
  public <T> T run(String workflowId, Object input, Class<T> type, Duration timeout) {
    return start(workflowId, input).result(type, timeout);
  }

  /**
   * The execution of this id, without asking whether it exists.
   *
   * @param id the id
   * @return its handle
   */
  public ExecutionHandle execution(String id) {
    return new ExecutionHandle(this, id);
  }

  /**
   * The role, the tenant and the name of the token.
   *
   * @return {@code role}, {@code tenant_id} …
   */
  public Map<String, Object> whoami() {
    return request("GET", "/whoami", null, null);
  }

  /**
   * Any request of the HTTP API. It is sent again where that is safe.
   *
   * @param method such as {@code POST}
   * @param path such as {@code /schedules}; encode parts with {@link #part}
   * @param query parameters; null values are left out, and null is none
   * @param body an object of JSON: a map or a record; null is none
   * @return the object of the answer; an empty one if the answer has no body
   */
  public Map<String, Object> request(
      String method, String path, Map<String, ?> query, Object body) {
    return request(method, path, query, body, Map.of());
  }

  /**
   * Any request of the HTTP API, with headers of its own.
   *
   * @param method such as {@code POST}
   * @param path such as {@code /schedules}; encode parts with {@link #part}
   * @param query parameters; null values are left out, and null is none
   * @param body an object of JSON: a map or a record; null is none
   * @param headers such as {@code idempotency-key}
   * @return the object of the answer; an empty one if the answer has no body
   */
  public Map<String, Object> request(
      String method, String path, Map<String, ?> query, Object body, Map<String, String> headers) {
    Map<String, ?> given = query == null ? Map.of() : query;
    Object answer = ask(new Ask(method, path, given, headers, body, Duration.ZERO, null));
    return answer == null ? Map.of() : Json.asObject(answer);
  }

  /**
   * A part of a path, such as an id.
   *
   * @param text the part
   * @return the part with its special characters encoded
   */
  public static String part(String text) {
    return Transport.encode(text);
  }

  /** Closes the connections. Requests under way fail. */
  @Override
  public void close() {
    transport.close();
  }

  /**
   * One request with its attempts.
   *
   * @param serverWait the time that the service itself may wait before it answers
   * @param within the time for all attempts; null for the default
   */
  record Ask(
      String method,
      String path,
      Map<String, ?> query,
      Map<String, String> headers,
      Object body,
      Duration serverWait,
      Duration within) {}

  Object ask(Ask ask) {
    Duration within = ask.within != null ? ask.within : timeout.plus(ask.serverWait);
    long deadline = System.nanoTime() + within.toNanos();
    boolean isRepeatable = RetryPolicy.isRepeatable(ask.method, ask.path);
    Transport.Call call =
        new Transport.Call(ask.method, ask.path, ask.query, ask.headers, contentOf(ask.body));
    for (int made = 1; ; made++) {
      long leftMs = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
      long attemptMs = Math.min(leftMs, readTimeout.plus(ask.serverWait).toMillis());
      try {
        return attempt(call, Duration.ofMillis(attemptMs));
      } catch (SvcException error) {
        Optional<Duration> delay = retry.delayAfter(error, made, isRepeatable);
        if (delay.isEmpty() || isTooLate(deadline, delay.get()) || !pause(delay.get())) {
          throw error;
        }
      }
    }
  }

  private static boolean isTooLate(long deadline, Duration delay) {
    return System.nanoTime() + delay.toNanos() - deadline >= 0;
  }

  /** False: the thread is interrupted. */
  static boolean pause(Duration delay) {
    try {
      Thread.sleep(delay);
      return true;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Object attempt(Transport.Call call, Duration within) {
    HttpResponse<byte[]> response;
    try {
      response = transport.send(call, within);
    } catch (IOException error) {
      throw explain.noAnswer(error);
    }
    if (response.statusCode() >= 400) {
      throw explain.answer(response);
    }
    return explain.success(response);
  }

  private static byte[] contentOf(Object body) {
    if (body == null) {
      return null;
    }
    try {
      return Json.write(body).getBytes(StandardCharsets.UTF_8);
    } catch (SerializationException error) {
      throw new ValidationException(
          "The request is not JSON, and was not sent: " + error.getMessage(),
          Refusal.withoutAnswer("not_json"),
          error);
    }
  }

  /** The options of a client. */
  public static final class Builder {
    private String url;
    private Supplier<String> token;
    private String tenant;
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration readTimeout = Duration.ofSeconds(20);
    private Duration timeout = Duration.ofSeconds(60);
    private RetryPolicy retry = RetryPolicy.DEFAULT;

    private Builder() {}

    /**
     * The address of the service. Default: {@code SVC_URL}, else {@code http://127.0.0.1:7700}.
     *
     * @param url null for the default
     * @return this
     */
    public Builder url(String url) {
      this.url = url;
      return this;
    }

    /**
     * The token. Default: {@code SVC_TOKEN}, else none.
     *
     * @param token null for the default
     * @return this
     */
    public Builder token(String token) {
      this.token = token == null ? null : () -> token;
      return this;
    }

    /**
     * The source of tokens, asked before each attempt.
     *
     * @param token gives a token
     * @return this
     */
    public Builder token(Supplier<String> token) {
      this.token = token;
      return this;
    }

    /**
     * Another tenant than the token's, for operators of the tenant {@code default}.
     *
     * @param tenant null for the token's
     * @return this
     */
    public Builder tenant(String tenant) {
      this.tenant = tenant;
      return this;
    }

    /**
     * The longest time to connect. Default: 5 s.
     *
     * @param connectTimeout more than zero
     * @return this
     */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = connectTimeout;
      return this;
    }

    /**
     * The longest time of one attempt. Default: 20 s.
     *
     * @param readTimeout more than zero
     * @return this
     */
    public Builder readTimeout(Duration readTimeout) {
      this.readTimeout = readTimeout;
      return this;
    }

    /**
     * The longest time of a call with all its attempts. Default: 60 s.
     *
     * @param timeout more than zero
     * @return this
     */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /**
     * Which requests are sent again. Default: {@link RetryPolicy#DEFAULT}.
     *
     * @param retry the policy
     * @return this
     */
    public Builder retry(RetryPolicy retry) {
      this.retry = retry;
      return this;
    }

    /**
     * A client with these options.
     *
     * @return a new client
     * @throws IllegalArgumentException if the URL is no address of a service
     */
    public SvcClient build() {
      return new SvcClient(this);
    }
  }
}
