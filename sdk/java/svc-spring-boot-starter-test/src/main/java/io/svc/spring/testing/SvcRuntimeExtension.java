package io.svc.spring.testing;

import io.svc.client.SvcClient;
import io.svc.testing.SvcRuntime;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Starts the real runtime on SQLite for the tests of a class. Register it as a static field, and
 * give its address to the application:
 *
 * <pre>{@code
 * @RegisterExtension static final SvcRuntimeExtension svc = new SvcRuntimeExtension();
 *
 * @DynamicPropertySource
 * static void properties(DynamicPropertyRegistry registry) {
 *   registry.add("spring.svc.runtime-url", svc::url);
 * }
 * }</pre>
 */
public final class SvcRuntimeExtension implements BeforeAllCallback, AfterAllCallback {
  private SvcRuntime runtime;

  /** The runtime starts before the first test. */
  public SvcRuntimeExtension() {}

  /**
   * The address of the runtime.
   *
   * @return such as {@code http://127.0.0.1:20123}
   */
  public String url() {
    return runtime.url();
  }

  /**
   * A client of the runtime.
   *
   * @return a new client; close it
   */
  public SvcClient client() {
    return runtime.client();
  }

  /**
   * The process, to kill it and start it again.
   *
   * @return the runtime
   */
  public SvcRuntime runtime() {
    return runtime;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    runtime = SvcRuntime.start();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    runtime.close();
  }
}
