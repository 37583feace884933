package io.svc.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.svc.json.Json;
import io.svc.support.Programs;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of the worker protocol, as {@code svc worker check} has them. */
class ConformanceTest {
  @Test
  @Timeout(240)
  void the_worker_keeps_every_rule_of_the_protocol() throws Exception {
    List<String> command = new ArrayList<>(Arrays.asList(System.getProperty("svc.bin").split(" ")));
    command.addAll(List.of("worker", "check", "--output", "json", "--cmd", worker()));
    Process checking =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();

    Map<String, Object> result =
        Json.asObject(Json.parse(checking.getInputStream().readAllBytes()));

    List<String> problems =
        Json.asObjects(result.get("cases")).stream()
            .filter(one -> "failed".equals(one.get("outcome")))
            .map(one -> one.get("name") + ": " + one.get("problems"))
            .toList();
    assertEquals(List.of(), problems);
    assertEquals(true, result.get("complete"));
    assertEquals(0L, result.get("not_applicable"));
    assertEquals(0, checking.waitFor());
  }

  /** The first tier of the compiler is enough for a short run. */
  private static String worker() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String tests = Path.of(Programs.sdk()).resolveSibling("test-classes").toString();
    String classPath = Programs.sdk() + File.pathSeparator + tests;
    return String.join(
        " ", java, "-XX:TieredStopAtLevel=1", "-cp", classPath, CheckWorker.class.getName());
  }
}
