package io.svc.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.svc.client.SvcClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;

/** Compiles and runs programs as a user does: with the classes of the SDK, and nothing else. */
public final class Programs {
  private static final int SECONDS_MAX = 60;

  private Programs() {}

  /** Refuses warnings, too, but for the class path. */
  public static void compile(Path folder, Map<String, String> sources) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all,-options,-processing,-try", "-Werror", "--release", "21"));
    arguments.addAll(List.of("-cp", sdk(), "-d", folder.toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = folder.resolve(source.getKey());
      Files.writeString(file, source.getValue());
      arguments.add(file.toString());
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    assertEquals(
        0,
        javac.run(out, out, arguments.toArray(String[]::new)),
        () -> said.toString(StandardCharsets.UTF_8));
  }

  public static Process start(Path folder, String main, Map<String, String> environment)
      throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = folder + System.getProperty("path.separator") + sdk();
    ProcessBuilder builder = new ProcessBuilder(java, "-Xshare:auto", "-cp", classPath, main);
    builder.directory(folder.toFile());
    builder.environment().putAll(environment);
    builder.redirectError(folder.resolve(main + ".err").toFile());
    return builder.start();
  }

  /** What a program wrote, which must have ended well. */
  public static String run(Path folder, String main, Map<String, String> environment) throws Exception {
    Process process = start(folder, main, environment);
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean isOver = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    if (!isOver) {
      process.destroyForcibly();
    }
    assertEquals(0, isOver ? process.exitValue() : -1, () -> said + errorsOf(folder, main));
    return said;
  }

  public static String errorsOf(Path folder, String main) {
    try {
      return Files.readString(folder.resolve(main + ".err"));
    } catch (IOException error) {
      return error.toString();
    }
  }

  /** The compiled classes of the SDK. */
  public static String sdk() {
    try {
      return Path.of(SvcClient.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toString();
    } catch (URISyntaxException error) {
      throw new IllegalStateException(error);
    }
  }
}
