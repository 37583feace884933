package io.svc.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.svc.client.SvcClient;
import java.io.ByteArrayOutputStream;
import java.io.File;
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

  /** Refuses warnings, too. */
  public static void compile(Path folder, Map<String, String> sources) throws IOException {
    compile("-cp", folder, sources);
  }

  public static void compileModule(Path folder, Map<String, String> sources) throws IOException {
    compile("-p", folder, sources);
  }

  private static void compile(String path, Path folder, Map<String, String> sources)
      throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all,-options,-processing,-try", "-Werror", "--release", "21"));
    arguments.addAll(List.of(path, sdk(), "-d", folder.toString()));
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
    return start(folder, List.of("-cp", withSdk(folder), main), environment);
  }

  /** What a program wrote, which must have ended well. */
  public static String run(Path folder, String main, Map<String, String> environment)
      throws Exception {
    return outputOf(start(folder, main, environment), folder);
  }

  /** The same for a module. */
  public static String runModule(Path folder, String main) throws Exception {
    return outputOf(start(folder, List.of("-p", withSdk(folder), "-m", main), Map.of()), folder);
  }

  private static Process start(
      Path folder, List<String> arguments, Map<String, String> environment) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(environment);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(errors(folder)));
    return builder.start();
  }

  private static String outputOf(Process process, Path folder) throws Exception {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean isOver = process.waitFor(SECONDS_MAX, TimeUnit.SECONDS);
    if (!isOver) {
      process.destroyForcibly();
    }
    String errors = Files.readString(errors(folder).toPath());
    assertEquals(0, isOver ? process.exitValue() : -1, said + errors);
    return said;
  }

  private static String withSdk(Path folder) {
    return folder + File.pathSeparator + sdk();
  }

  private static File errors(Path folder) {
    return folder.resolve("errors.log").toFile();
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
