package io.svc.support;

import io.svc.client.SvcClient;
import io.svc.testing.SvcRuntime;
import java.util.UUID;

/** The runtime and the client that all tests of a run share. */
public final class Shared {
  private static final SvcRuntime RUNTIME = SvcRuntime.start();
  private static final SvcClient CLIENT = RUNTIME.client();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(RUNTIME::close));
  }

  private Shared() {}

  public static String url() {
    return RUNTIME.url();
  }

  public static SvcClient client() {
    return CLIENT;
  }

  /** A name of the test's own, for workflows and tools. */
  public static String name() {
    return "t" + UUID.randomUUID().toString().substring(0, 8);
  }
}
