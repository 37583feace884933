package io.svc.client;

import io.svc.errors.AuthenticationException;
import io.svc.errors.ConflictException;
import io.svc.errors.ConnectionFailedException;
import io.svc.errors.LimitException;
import io.svc.errors.NotFoundException;
import io.svc.errors.PermissionDeniedException;
import io.svc.errors.Refusal;
import io.svc.errors.SvcException;
import io.svc.errors.TimedOutException;
import io.svc.errors.UnavailableException;
import io.svc.errors.ValidationException;
import io.svc.internal.Address;
import io.svc.internal.Unreached;
import io.svc.json.Json;
import io.svc.json.JsonException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/** Errors that say what to do next. */
final class Explain {
  private static final Map<Integer, String> CODES =
      Map.of(
          401, "unauthorized",
          402, "limit_exceeded",
          403, "forbidden",
          404, "not_found",
          409, "conflict",
          429, "limit_exceeded",
          500, "internal");
  private static final Set<Integer> WITH_ADDRESS = Set.of(403, 408, 502, 503, 504);
  private final Address address;

  Explain(Address address) {
    this.address = address;
  }

  /** The error for an answer of an error status. */
  SvcException answer(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    Object body = parseOrNull(response.body());
    String said = messageIn(body);
    boolean isProxys = status >= 500 || status == 408 || status == 429;
    // Other services have a field `error` too, often with the status's own name.
    if (!isProxys && (said == null || (status == 404 && !said.startsWith("not found: ")))) {
      return foreignService("HTTP status " + status + " without an error of svc");
    }
    Object kept = body != null ? body : new String(response.body(), StandardCharsets.UTF_8);
    String requestId = response.headers().firstValue("x-request-id").orElse(null);
    Refusal refusal = new Refusal(codeOf(body, status), status, kept, requestId);
    return refuse(said != null ? said : "HTTP status " + status, refusal, retryAfter(response));
  }

  /** The error for a request that got no answer. */
  SvcException noAnswer(Throwable cause) {
    if (cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException)) {
      return new TimedOutException(
          "no answer from "
              + address.url()
              + " in time; raise the timeout, or see whether svc is overloaded",
          null,
          cause);
    }
    boolean neverSent = Unreached.isCause(cause);
    String why = cause.getMessage() != null ? cause.getMessage() : cause.getClass().getSimpleName();
    return new ConnectionFailedException(
        neverSent
            ? Unreached.explain(address, cause)
            : "no answer from "
                + address.url()
                + ": "
                + why
                + "; whether the request took effect is not known",
        Refusal.withoutAnswer("connection"),
        neverSent,
        cause);
  }

  /** The JSON of an answer that is no error; null when it has none. */
  Object success(HttpResponse<byte[]> response) {
    if (response.body().length == 0) {
      return null;
    }
    try {
      return Json.parse(response.body());
    } catch (JsonException error) {
      String kind = response.headers().firstValue("content-type").orElse("nothing");
      throw foreignService(kind + " for " + response.uri().getPath());
    }
  }

  ConnectionFailedException foreignService(String found) {
    return new ConnectionFailedException(
        "what answers at "
            + address.url()
            + " is not svc: it gave "
            + found
            + "; check the address and the port",
        Refusal.withoutAnswer("foreign_service"),
        false,
        null);
  }

  /** The error for a refusal, also for one entry of many. */
  SvcException refuse(String said, Refusal refusal, Duration retryAfter) {
    String message = said + advice(refusal.status());
    return switch (refusal.status()) {
      case 400, 413, 415, 422 -> new ValidationException(message, refusal, null);
      case 401 -> new AuthenticationException(message, refusal, null);
      case 403 -> new PermissionDeniedException(message, refusal, null);
      case 404 -> new NotFoundException(message, refusal, null);
      case 409 -> new ConflictException(message, refusal, null);
      case 402, 429 -> new LimitException(message, refusal, retryAfter);
      case 408, 502, 503, 504 -> new UnavailableException(message, refusal, retryAfter);
      default -> new SvcException(message, refusal, null);
    };
  }

  static String codeOf(Object body, int status) {
    if (body instanceof Map<?, ?> members && members.get("code") instanceof String code) {
      return code;
    }
    return CODES.getOrDefault(status, status < 500 ? "bad_request" : "unavailable");
  }

  private String advice(int status) {
    if (status == 401 && address.token() == null) {
      return ": no token was sent; pass SvcClient.builder().token(…) or set SVC_TOKEN. "
          + "Make one with \"svc token create --name NAME --role ROLE\"";
    }
    if (status == 401) {
      return ": "
          + address.url()
          + " does not accept this token; it may be revoked, expired, or of another runtime";
    }
    if (status == 404 && address.tenant() != null) {
      return " (in tenant " + address.tenant() + ")";
    }
    return WITH_ADDRESS.contains(status) ? " (" + address.url() + ")" : "";
  }

  private static Object parseOrNull(byte[] body) {
    try {
      return Json.parse(body);
    } catch (JsonException error) {
      return null;
    }
  }

  private static String messageIn(Object body) {
    if (!(body instanceof Map<?, ?> members)) {
      return null;
    }
    Object said = members.containsKey("error") ? members.get("error") : members.get("reason");
    return said instanceof String text ? text : null;
  }

  private static Duration retryAfter(HttpResponse<?> response) {
    try {
      return response
          .headers()
          .firstValue("retry-after")
          .map(text -> Duration.ofMillis((long) (Double.parseDouble(text) * 1000)))
          .orElse(null);
    } catch (NumberFormatException error) {
      return null;
    }
  }
}
