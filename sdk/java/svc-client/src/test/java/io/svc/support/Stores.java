package io.svc.support;

import io.svc.client.SvcClient;
import io.svc.testing.SvcRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** A runtime on each of the stores, which the tests of a run share. The first test starts them. */
public final class Stores {
  public static final String SQLITE = "sqlite";
  public static final String POSTGRES = "postgres";
  private static final Postgres SERVER = startServer();
  private static final Map<String, SvcRuntime> RUNTIMES =
      Map.of(
          SQLITE, SvcRuntime.start(),
          POSTGRES, SvcRuntime.start(Map.of("SVC_DATABASE_URL", SERVER.url())));

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Stores::stop));
  }

  private Stores() {}

  public static String url(String store) {
    return RUNTIMES.get(store).url();
  }

  /** Close it. */
  public static SvcClient client(String store) {
    return RUNTIMES.get(store).client();
  }

  private static Postgres startServer() {
    try {
      return new Postgres();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private static void stop() {
    RUNTIMES.values().forEach(SvcRuntime::close);
    try {
      SERVER.close();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }
}
