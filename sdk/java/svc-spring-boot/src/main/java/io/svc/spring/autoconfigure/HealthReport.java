package io.svc.spring.autoconfigure;

import io.svc.json.Json;
import io.svc.spring.runtime.Outbox;
import io.svc.spring.runtime.RuntimeAwayException;
import io.svc.spring.runtime.RuntimeLink;
import io.svc.spring.runtime.RuntimeRefusedException;
import java.util.Map;

/**
 * The health of the companion. An outage of the runtime is no failure of the application, whose calls
 * go on: the status is then unknown, which takes no replica out of service.
 */
record HealthReport(boolean isUp, Map<String, Object> details) {
  static HealthReport of(RuntimeLink link, Outbox outbox) {
    String problem = problemOf(link);
    Map<String, Object> details =
        Json.object(
            "runtime", problem == null ? "connected" : "away",
            "problem", problem,
            "calls_without_durability", link.undurableCalls(),
            "waiting_entries", outbox.pending());
    return new HealthReport(problem == null, details);
  }

  private static String problemOf(RuntimeLink link) {
    try {
      link.check();
      return null;
    } catch (RuntimeAwayException error) {
      link.report(error);
      return error.getMessage();
    } catch (RuntimeRefusedException error) {
      return error.getMessage();
    }
  }
}
