package io.svc.crashes;

import io.svc.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A worker in a process of its own. Its steps write to the file {@code effects}. */
public final class Booking {
  private Booking() {}

  public static void main(String[] args) {
    Path folder = Path.of(System.getenv("FOLDER"));
    Worker.builder()
        .registering(false)
        .stopTimeout(Duration.ofSeconds(20))
        .function(
            System.getenv("NAME"),
            Object.class,
            (ctx, input) -> {
              ctx.step("first", step -> append(folder, "first"));
              ctx.step(
                  "second",
                  step -> {
                    append(folder, "second " + step.idempotencyKey());
                    while (!Files.exists(folder.resolve("may-end"))) {
                      new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
                    }
                  });
              return Map.of("done", true, "attempt", ctx.attempt());
            })
        .build()
        .run();
  }

  private static void append(Path folder, String line) throws IOException {
    Files.writeString(
        folder.resolve("effects"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
