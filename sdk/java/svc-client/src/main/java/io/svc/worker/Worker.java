package io.svc.worker;

import io.svc.errors.WorkerRefusedException;
import io.svc.functions.DurableFunction;
import io.svc.functions.FunctionCode;
import io.svc.internal.Address;
import io.svc.internal.Signals;
import io.svc.json.TypeRef;
import java.lang.reflect.Type;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Does the work of tools and durable functions.
 *
 * <pre>{@code
 * Worker.builder()
 *     .tool("payment.charge", Order.class, (order, ctx) -> Map.of("charged", order.amount()))
 *     .build()
 *     .run();
 * }</pre>
 *
 * <p>Each item is worked on by a virtual thread; heartbeats have a platform thread of their own.
 * The thread of an item is interrupted when its work must stop: the lease is lost, the execution is
 * cancelled, or the worker stops and the time for its work is up.
 */
public final class Worker implements AutoCloseable {
  private static final int NAMES_MAX = 100;
  private static final int CONCURRENCY_MAX = 1000;
  private static final Pattern BUILD_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}");
  private final Settings settings;
  private WorkerRun run;
  private CompletableFuture<Integer> outcome;

  private Worker(Settings settings) {
    this.settings = settings;
  }

  /**
   * Sets what a worker serves and how.
   *
   * @return a builder with the defaults
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Works until {@link #stop}, SIGTERM or SIGINT, or until the thread is interrupted. A signal
   * stops the worker, and nothing else: the program goes on behind this call.
   *
   * @return how many items it has worked on
   * @throws WorkerRefusedException when the runtime refuses the worker, for example for its token.
   *     No answer is no refusal: the worker tries again.
   */
  public int run() {
    CompletableFuture<Integer> own = begin(false);
    Thread hook = new Thread(this::close, "svc-worker-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try (Signals signals = new Signals(this::stop)) {
      return join(own);
    } finally {
      removeHook(hook);
    }
  }

  /**
   * Takes the items that wait now, and returns when a claim gets no more.
   *
   * @return how many items it has worked on
   * @throws WorkerRefusedException when the runtime refuses the worker
   */
  public int runOnce() {
    return join(begin(true));
  }

  /**
   * Works on threads of its own until {@link #stop} or {@link #close}. Returns once the functions
   * are registered, at once if there are none to register. Returns also when a registration gets
   * no answer: the worker tries again, and {@link #awaitReady} waits for it. Signals are yours to
   * handle.
   *
   * <p>A runtime that refuses the worker, now or later, ends it: the log has a line of the level
   * ERROR, {@link #isRunning} is false, and {@link #close} throws the refusal.
   *
   * @return this
   */
  public Worker start() {
    CompletableFuture<Integer> own = begin(false);
    try {
      current().tried(own).get();
    } catch (ExecutionException error) {
      // The worker is refused, which close() throws.
      return this;
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      stop();
    }
    return this;
  }

  /**
   * Waits until the functions are registered, so that they can be started, after {@link #start} or
   * while another thread runs the worker. A worker that registers none is ready as soon as it runs,
   * even if the runtime does not answer its claims: its log then says so.
   *
   * @param timeout the longest wait
   * @return false when the time is up, and when the worker does not run, stops before it has
   *     registered, or has been refused
   * @throws InterruptedException when the thread is interrupted
   */
  public boolean awaitReady(Duration timeout) throws InterruptedException {
    WorkerRun started;
    CompletableFuture<Integer> own;
    synchronized (this) {
      started = run;
      own = outcome;
    }
    if (own == null) {
      return false;
    }
    try {
      started.ready(own).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return !own.isDone();
    } catch (TimeoutException | ExecutionException error) {
      return false;
    }
  }

  /**
   * Claims nothing more and finishes the items under way, without waiting for that. After the stop
   * timeout the worker stops the rest and gives it back.
   */
  public synchronized void stop() {
    if (run != null) {
      run.beginStop();
    }
  }

  /**
   * Whether the worker runs.
   *
   * @return false before it starts, after it has stopped, and when the runtime has refused it
   */
  public synchronized boolean isRunning() {
    return outcome != null && !outcome.isDone();
  }

  /**
   * Stops and waits until the items under way have ended, at most a little longer than the stop
   * timeout.
   *
   * @throws WorkerRefusedException when the runtime has refused the worker
   */
  @Override
  public void close() {
    CompletableFuture<Integer> own;
    synchronized (this) {
      own = outcome;
    }
    stop();
    if (own != null) {
      join(own);
    }
  }

  private synchronized WorkerRun current() {
    return run;
  }

  private synchronized CompletableFuture<Integer> begin(boolean isOnce) {
    if (isRunning()) {
      throw new IllegalStateException("the worker runs already");
    }
    WorkerRun started = new WorkerRun(settings, isOnce);
    run = started;
    outcome =
        CompletableFuture.supplyAsync(
            started::work, task -> Thread.ofVirtual().name("svc-worker").start(task));
    return outcome;
  }

  private int join(CompletableFuture<Integer> own) {
    try {
      return own.get();
    } catch (InterruptedException error) {
      stop();
      int count = joinStopped(own);
      Thread.currentThread().interrupt();
      return count;
    } catch (ExecutionException error) {
      throw rethrown(error.getCause());
    }
  }

  private static int joinStopped(CompletableFuture<Integer> own) {
    try {
      return own.join();
    } catch (CompletionException error) {
      throw rethrown(error.getCause());
    }
  }

  private static RuntimeException rethrown(Throwable error) {
    if (error instanceof WorkerRefusedException refused) {
      return refused;
    }
    return new IllegalStateException("the worker has ended", error);
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException error) {
      // The hook runs: the process ends.
      return;
    }
  }

  /** What a worker serves, and how. */
  public static final class Builder {
    private final Map<String, Tool> tools = new LinkedHashMap<>();
    private final Map<String, DurableFunction<?, ?>> functions = new LinkedHashMap<>();
    private String url;
    private Supplier<String> token;
    private String tenant;
    private int concurrency = 10;
    private List<String> queues;
    private String buildId;
    private String workerId;
    private boolean isRegistering = true;
    private Duration stopTimeout = Duration.ofSeconds(25);
    private System.Logger logger = System.getLogger("io.svc.worker");

    private Builder() {}

    /**
     * The address of the runtime. Default: {@code SVC_URL}, else {@code http://127.0.0.1:7700}.
     *
     * @param url null for the default
     * @return this
     */
    public Builder url(String url) {
      this.url = url;
      return this;
    }

    /**
     * A token with the role {@code worker}. Default: {@code SVC_TOKEN}, else none.
     *
     * @param token null for the default
     * @return this
     */
    public Builder token(String token) {
      this.token = token == null ? null : () -> token;
      return this;
    }

    /**
     * The source of tokens, asked before each request.
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
     * Serves a tool.
     *
     * @param <I> the input
     * @param name as nodes give it: {@code module.function}, or {@code class.method}
     * @param input what the input becomes: a record, {@code Map} …
     * @param code the work
     * @return this
     */
    public <I> Builder tool(String name, Class<I> input, ToolFunction<? super I> code) {
      return addTool(name, input, code);
    }

    /**
     * Serves a tool whose input has type parameters.
     *
     * @param <I> the input
     * @param name as nodes give it: {@code module.function}, or {@code class.method}
     * @param input such as {@code new TypeRef<Map<String, Order>>() {}}
     * @param code the work
     * @return this
     */
    public <I> Builder tool(String name, TypeRef<I> input, ToolFunction<? super I> code) {
      return addTool(name, input.type(), code);
    }

    /**
     * Serves the methods of an object that have {@link SvcTool}.
     *
     * @param target the object
     * @return this
     * @throws IllegalArgumentException if it has none, or one that takes something else
     */
    public Builder register(Object target) {
      AnnotatedTools.of(target).forEach(this::add);
      return this;
    }

    /**
     * Serves a durable function.
     *
     * @param function the function
     * @return this
     */
    public Builder function(DurableFunction<?, ?> function) {
      checkRoom();
      if (functions.putIfAbsent(function.name(), function) != null) {
        throw new IllegalArgumentException("two definitions have the name " + function.name());
      }
      return this;
    }

    /**
     * Serves code as a durable function, with the default options.
     *
     * @param <I> the input
     * @param name 1 to 200 letters, digits, {@code .}, {@code _} and {@code -}
     * @param input what the input becomes: a record, {@code Map} …
     * @param code the function
     * @return this
     */
    public <I> Builder function(
        String name, Class<I> input, FunctionCode<? super I, ?> code) {
      return function(DurableFunction.of(name, input, Object.class, code));
    }

    /**
     * Items at the same time. Default: 10.
     *
     * @param concurrency from 1 to 1000
     * @return this
     */
    public Builder concurrency(int concurrency) {
      this.concurrency = concurrency;
      return this;
    }

    /**
     * Named queues to claim from; {@code default} is the queue of nodes that name none. Default:
     * that queue.
     *
     * @param queues names
     * @return this
     */
    public Builder queues(Collection<String> queues) {
      this.queues = List.copyOf(queues);
      return this;
    }

    /**
     * Names the build of this code, for pinned functions. Default: none.
     *
     * @param buildId 1 to 64 letters, digits, {@code .}, {@code +}, {@code _} and {@code -}
     * @return this
     */
    public Builder buildId(String buildId) {
      this.buildId = buildId;
      return this;
    }

    /**
     * Names this process in leases and events. Default: host, process and a random part.
     *
     * @param workerId the name
     * @return this
     */
    public Builder workerId(String workerId) {
      this.workerId = workerId;
      return this;
    }

    /**
     * Whether the worker registers the workflows of its functions. Default: true.
     *
     * @param isRegistering false: somebody else registers them
     * @return this
     */
    public Builder registering(boolean isRegistering) {
      this.isRegistering = isRegistering;
      return this;
    }

    /**
     * The time in which items under way may finish when the worker stops. Default: 25 s, as
     * Kubernetes kills a pod 30 s after SIGTERM by default.
     *
     * @param stopTimeout from zero
     * @return this
     */
    public Builder stopTimeout(Duration stopTimeout) {
      this.stopTimeout = stopTimeout;
      return this;
    }

    /**
     * Where log lines go. Default: the logger {@code io.svc.worker}.
     *
     * @param logger the logger
     * @return this
     */
    public Builder logger(System.Logger logger) {
      this.logger = logger;
      return this;
    }

    /**
     * A worker with these options.
     *
     * @return a new worker, which does not run yet
     * @throws IllegalArgumentException for options that no worker can run with
     */
    public Worker build() {
      check();
      return new Worker(
          new Settings(
              Address.of(url, token, tenant),
              workerId != null ? workerId : makeWorkerId(),
              Map.copyOf(tools),
              Map.copyOf(functions),
              concurrency,
              queues,
              buildId,
              isRegistering,
              stopTimeout,
              logger));
    }

    private void check() {
      if (tools.isEmpty() && functions.isEmpty()) {
        throw new IllegalArgumentException("a worker serves at least one tool or function");
      }
      if (concurrency < 1 || concurrency > CONCURRENCY_MAX) {
        throw new IllegalArgumentException(
            "concurrency must be from 1 to " + CONCURRENCY_MAX + ", not " + concurrency);
      }
      if (buildId != null && !BUILD_ID.matcher(buildId).matches()) {
        throw new IllegalArgumentException(
            "buildId must be 1 to 64 letters, digits, \".\", \"+\", \"_\" and \"-\": " + buildId);
      }
      for (DurableFunction<?, ?> one : functions.values()) {
        if (buildId == null && Boolean.TRUE.equals(one.options().pinned())) {
          throw new IllegalArgumentException(
              "the function " + one.name() + " is pinned, so its worker needs a buildId");
        }
      }
    }

    @SuppressWarnings("unchecked")
    private Builder addTool(String name, Type input, ToolFunction<?> code) {
      add(new Tool(name, input, (ToolFunction<Object>) code));
      return this;
    }

    private void add(Tool tool) {
      checkRoom();
      if (tools.putIfAbsent(tool.name(), tool) != null) {
        throw new IllegalArgumentException("two definitions have the name " + tool.name());
      }
    }

    private void checkRoom() {
      if (tools.size() + functions.size() >= NAMES_MAX) {
        throw new IllegalArgumentException(
            "a worker serves at most " + NAMES_MAX + " tools and functions");
      }
    }

    private static String makeWorkerId() {
      String random = UUID.randomUUID().toString().substring(0, 6);
      return hostName() + "-" + ProcessHandle.current().pid() + "-" + random;
    }

    private static String hostName() {
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException error) {
        return "java";
      }
    }
  }
}
