package io.svc.client;

import io.svc.errors.ConnectionFailedException;
import io.svc.errors.LimitException;
import io.svc.errors.SvcException;
import io.svc.errors.TimedOutException;
import io.svc.errors.UnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * Which requests are sent again, and after which pause.
 *
 * @param attempts of one call, from 1
 * @param base the longest pause before the second attempt; doubled from one to the next
 * @param longest the longest pause
 */
public record RetryPolicy(int attempts, Duration base, Duration longest) {
  /** Four attempts, with pauses from 0.1 to 10 s. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(4, Duration.ofMillis(100), Duration.ofSeconds(10));

  /** One attempt. */
  public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO);

  /** Changes that leave the same behind when they are made twice. Starts carry idempotency keys. */
  private static final Pattern REPEATABLE =
      Pattern.compile(
          String.join(
              "|",
              "/executions(/batch|/import)?",
              "/executions/[^/]+/(cancel|pause|resume|build|fork)",
              "/workflows(/validate|/simulate|/[^/]+/(pause|resume))?",
              "/schedules/(preview|[^/]+/(trigger|backfill))",
              "/work-items/[^/]+/(heartbeat|steps|suspend|continue)",
              "/artifacts|/v1/memory/(recall|forget|settings|settings/test)",
              "/agents/(preview|[^/]+/(activate|deactivate|heartbeat))"));

  /** Refuses policies without an attempt. */
  public RetryPolicy {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1: " + attempts);
    }
  }

  static boolean isRepeatable(String method, String path) {
    if (method.equals("GET") || (method.equals("PUT") && !path.startsWith("/work-items"))) {
      return true;
    }
    boolean isChange = method.equals("POST") || method.equals("PATCH");
    return isChange && REPEATABLE.matcher(path).matches();
  }

  /** The pause before the next attempt; empty: the error is final. */
  Optional<Duration> delayAfter(SvcException error, int made, boolean isRepeatable) {
    if (made >= attempts || !isWorthRetrying(error, isRepeatable)) {
      return Optional.empty();
    }
    double doubled = base.toMillis() * Math.pow(2, made - 1);
    // Full jitter: many clients that fail together come back apart.
    double most = Math.min(longest.toMillis(), doubled);
    Duration jitter = Duration.ofMillis((long) (ThreadLocalRandom.current().nextDouble() * most));
    Duration asked = retryAfterOf(error).orElse(Duration.ZERO);
    return asked.compareTo(longest) > 0 ? Optional.empty() : Optional.of(asked.plus(jitter));
  }

  static boolean isWorthRetrying(SvcException error, boolean isRepeatable) {
    return switch (error) {
      // A request that a limit refuses has changed nothing.
      case LimitException limit -> limit.status() == 429;
      case ConnectionFailedException failed ->
          !failed.code().equals("foreign_service") && (failed.neverSent() || isRepeatable);
      case UnavailableException unavailable -> isRepeatable;
      case TimedOutException late -> isRepeatable;
      default -> false;
    };
  }

  private static Optional<Duration> retryAfterOf(SvcException error) {
    return switch (error) {
      case LimitException limit -> limit.retryAfter();
      case UnavailableException unavailable -> unavailable.retryAfter();
      default -> Optional.empty();
    };
  }
}
