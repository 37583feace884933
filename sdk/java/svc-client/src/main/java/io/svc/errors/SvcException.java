package io.svc.errors;

import java.util.Optional;

/** Base of all errors that the client throws. The message says what to do next. */
public class SvcException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Refusal refusal;

  /**
   * An error with what is known about it.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param cause null, or what led to it
   */
  public SvcException(String message, Refusal refusal, Throwable cause) {
    super(message, cause);
    this.refusal = refusal;
  }

  /**
   * For programs, and stable: {@code not_found}, {@code limit_exceeded}, {@code timeout} …
   *
   * @return the code
   */
  public final String code() {
    return refusal.code();
  }

  /**
   * The HTTP status.
   *
   * @return 0 if there was no answer
   */
  public final int status() {
    return refusal.status();
  }

  /**
   * The body of the answer: JSON as maps and lists, or text.
   *
   * @return null if there is none
   */
  public final Object body() {
    return refusal.body();
  }

  /**
   * {@code X-Request-Id} of the answer, which is in the log of the service too.
   *
   * @return the id, if the answer has one
   */
  public final Optional<String> requestId() {
    return Optional.ofNullable(refusal.requestId());
  }
}
