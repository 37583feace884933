package io.svc.json;

/**
 * Text that is no JSON, or JSON that does not have the shape of a type. The message names the
 * place.
 */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  JsonException(String message) {
    super(message);
  }

  JsonException(String message, Throwable cause) {
    super(message, cause);
  }
}
