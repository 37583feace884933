package io.svc.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL server of the test's own, as the tests of the runtime start it. */
public final class Postgres implements AutoCloseable {
  private final Process process;
  private final String url;

  public Postgres() throws IOException {
    Path repository = Path.of(System.getProperty("svc.repository"));
    String script =
        "import { startPostgresServer } from '"
            + repository
            + "/test/support/servers/postgres-server.ts';"
            + "const server = await startPostgresServer(); console.log(server.url);"
            + "process.stdin.resume(); process.stdin.on('end', () => server.stop());";
    String node = repository.resolve("node_modules/.bin/node").toString();
    process =
        new ProcessBuilder(node, "--input-type=module", "-e", script)
            .directory(repository.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader said = process.inputReader();
    url = said.readLine();
  }

  public String url() {
    return url;
  }

  @Override
  public void close() throws Exception {
    process.getOutputStream().close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
