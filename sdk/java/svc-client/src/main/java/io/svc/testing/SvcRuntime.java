package io.svc.testing;

import io.svc.client.SvcClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A running {@code svc dev} in a process of its own, on a free port, with an SQLite file in a
 * temporary folder.
 *
 * <p>The runtime comes from {@code SVC_BIN} of the environment, or from the system property {@code
 * svc.bin}: a command such as {@code node bin/svc.js}. Without them it is {@code svc} of the path.
 * Its clock is the real one: give functions short waits in tests.
 */
public final class SvcRuntime implements AutoCloseable {
  private static final Duration START_MAX = Duration.ofSeconds(60);
  private static final int STOP_SECONDS_MAX = 15;
  private static final Set<Integer> GIVEN_PORTS = ConcurrentHashMap.newKeySet();
  private final int port;
  private final Path folder;
  private final Map<String, String> environment;
  private final List<String> options;
  private Process process;

  private SvcRuntime(
      int port, Path folder, Map<String, String> environment, List<String> options) {
    this.port = port;
    this.folder = folder;
    this.environment = environment;
    this.options = options;
  }

  /**
   * Starts a runtime and waits until it is ready.
   *
   * @param options further options of {@code svc dev}
   * @return the runtime; close it
   * @throws IllegalStateException if it does not start; the message has the end of its log
   */
  public static SvcRuntime start(String... options) {
    return start(Map.of(), options);
  }

  /**
   * Starts a runtime with settings of its own and waits until it is ready.
   *
   * @param environment such as {@code SVC_SCHEDULER_LEASE_SECONDS}
   * @param options further options of {@code svc dev}
   * @return the runtime; close it
   * @throws IllegalStateException if it does not start; the message has the end of its log
   */
  public static SvcRuntime start(Map<String, String> environment, String... options) {
    try {
      Path folder = Files.createTempDirectory("svc-test-");
      SvcRuntime runtime = new SvcRuntime(freePort(), folder, environment, List.of(options));
      runtime.restart();
      return runtime;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /**
   * The address of the runtime.
   *
   * @return such as {@code http://127.0.0.1:20123}
   */
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /**
   * A client of the runtime.
   *
   * @return a new client; close it
   */
  public SvcClient client() {
    return SvcClient.builder().url(url()).build();
  }

  /** Ends the process at once, as a crash does. {@link #restart} starts it again. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Starts the process, with the database that it had, and waits until it is ready. */
  public void restart() {
    List<String> command = new ArrayList<>(findRuntime());
    command.addAll(List.of("dev", "--port", String.valueOf(port)));
    command.addAll(options);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    try {
      process = builder.start();
    } catch (IOException error) {
      throw new IllegalStateException(
          "no svc: install svc-runtime, or set SVC_BIN to the command that starts it", error);
    }
    waitUntilReady();
  }

  /** Stops the process and removes its folder. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      kill();
    }
    removeFolder();
  }

  /**
   * A loopback port from 28000 to 29999 on which nothing listens, and which no call has given before.
   *
   * @return the port
   */
  public static int freePort() {
    for (int tries = 0; tries < 100; tries++) {
      int port = ThreadLocalRandom.current().nextInt(28_000, 30_000);
      // A server binds its port seconds later.
      if (!GIVEN_PORTS.add(port)) {
        continue;
      }
      try (ServerSocket one = new ServerSocket()) {
        one.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (IOException error) {
        continue;
      }
    }
    throw new IllegalStateException("no free port found from 28000 to 29999");
  }

  private void waitUntilReady() {
    long deadline = System.nanoTime() + START_MAX.toNanos();
    while (System.nanoTime() < deadline && process.isAlive()) {
      if (isOpen()) {
        return;
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    String said = readLog();
    close();
    throw new IllegalStateException("svc did not start:\n" + said);
  }

  private boolean isOpen() {
    try (Socket one = new Socket()) {
      one.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException error) {
      return false;
    }
  }

  private static List<String> findRuntime() {
    String given = System.getProperty("svc.bin", System.getenv("SVC_BIN"));
    return given == null || given.isBlank() ? List.of("svc") : List.of(given.strip().split("\\s+"));
  }

  private Path log() {
    return folder.resolve("svc.log");
  }

  private String readLog() {
    try {
      String text = Files.readString(log());
      return text.substring(Math.max(0, text.length() - 4000));
    } catch (IOException error) {
      return "(no log: " + error.getMessage() + ")";
    }
  }

  private void removeFolder() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
