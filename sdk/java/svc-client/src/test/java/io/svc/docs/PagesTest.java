package io.svc.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.json.Json;
import io.svc.support.Programs;
import io.svc.support.Shared;
import io.svc.support.Until;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages about Java, used as their readers use them. */
class PagesTest {
  private static final String START = "docs/get-started/java.md";
  private static final String GUIDE = "docs/guides/java.md";
  private static final Map<String, String> ENVIRONMENT = Map.of("SVC_URL", Shared.url());
  @TempDir private Path folder;

  @Test
  void the_blocks_of_the_guide_run_as_one_program() throws Exception {
    Programs.compile(folder, Map.of("Guide.java", Pages.programOf(GUIDE)));

    String said = Programs.run(folder, "Guide", ENVIRONMENT);

    assertEquals(List.of("250", "shelf-A-2 5"), said.lines().toList());
  }

  @Test
  void the_page_for_beginners_runs_in_an_empty_folder() throws Exception {
    Map<String, String> files = Pages.filesOf(START);
    assertEquals(
        List.of("pom.xml", "OrderWorker.java", "StartOrder.java"), List.copyOf(files.keySet()));
    Programs.compile(
        folder,
        Map.of(
            "OrderWorker.java", files.get("OrderWorker.java"),
            "StartOrder.java", files.get("StartOrder.java")));
    Process worker = Programs.start(folder, "OrderWorker", ENVIRONMENT);
    try {
      Until.isTrue(
          () ->
              Shared.client().workflows().list(Map.of("workflow_id", "order.process")).count() > 0);
      String said = Programs.run(folder, "StartOrder", ENVIRONMENT);
      assertTrue(Pages.read(START).contains("```text\n" + said.strip() + "\n```"), said);
    } finally {
      worker.destroy();
      assertTrue(worker.waitFor(40, TimeUnit.SECONDS));
    }
    // SIGTERM stops the worker in order.
    assertEquals(0, worker.exitValue());
  }

  @Test
  void the_block_of_the_read_me_compiles() throws Exception {
    Programs.compile(folder, Map.of("Greeter.java", Pages.programOf("sdk/java/README.md")));
  }

  @Test
  void the_versions_are_that_of_the_runtime() throws Exception {
    Object runtime = Json.asObject(Json.parse(Pages.read("package.json"))).get("version");

    for (String path : List.of("sdk/java/pom.xml", "sdk/java/svc-client/pom.xml")) {
      assertEquals(runtime, firstVersion(Pages.read(path)), path);
    }
    assertTrue(Pages.read(START).contains("<version>" + runtime + "</version>"));
  }

  private static String firstVersion(String pom) {
    Matcher found = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
    assertTrue(found.find());
    return found.group(1);
  }
}
