package io.svc.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.svc.support.Programs;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The SDK as a module. */
class ModuleTest {
  private static final String MAIN =
      """
      package orders;

      import io.svc.json.Json;

      public class Main {
        record Order(String id) {}

        public static void main(String[] args) {
          try {
            Order order = Json.decode(Order.class, Json.parse("{\\"id\\": \\"A-1\\"}"));
            System.out.println(Json.write(order));
          } catch (RuntimeException error) {
            System.out.println(error.getMessage());
          }
        }
      }
      """;
  @TempDir private Path folder;

  @Test
  void the_module_depends_on_the_JDK_alone_and_exports_no_internals() {
    ModuleDescriptor module =
        ModuleFinder.of(Path.of(Programs.sdk())).find("io.svc.client").orElseThrow().descriptor();

    assertEquals(
        Set.of("java.base", "java.net.http", "jdk.unsupported"),
        module.requires().stream()
            .map(ModuleDescriptor.Requires::name)
            .collect(Collectors.toSet()));
    assertTrue(
        module.exports().stream().noneMatch(one -> one.source().contains("internal")));
  }

  @Test
  void records_of_another_module_need_an_open_package_and_the_error_says_so() throws Exception {
    assertEquals("{\"id\":\"A-1\"}\n", runModule("opens orders to io.svc.client;"));

    String closed = runModule("");

    assertTrue(closed.contains("orders.Main$Order is closed: open its package"), closed);
  }

  private String runModule(String opens) throws Exception {
    Path sources = Files.createTempDirectory(folder, "module");
    Files.createDirectory(sources.resolve("orders"));
    Programs.compileModule(
        sources,
        Map.of(
            "module-info.java", "module orders { requires io.svc.client; " + opens + " }",
            "orders/Main.java", MAIN));
    return Programs.runModule(sources, "orders/orders.Main");
  }
}
