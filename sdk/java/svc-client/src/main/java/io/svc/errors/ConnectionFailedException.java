package io.svc.errors;

/** No connection, a broken one, or something else than svc at the address. */
public final class ConnectionFailedException extends SvcException {
  private static final long serialVersionUID = 1L;
  private final boolean neverSent;

  /**
   * The error of a connection.
   *
   * @param message says what to do next
   * @param refusal code, status and body
   * @param neverSent true if the request has reached nobody
   * @param cause null, or what led to it
   */
  public ConnectionFailedException(
      String message, Refusal refusal, boolean neverSent, Throwable cause) {
    super(message, refusal, cause);
    this.neverSent = neverSent;
  }

  /**
   * Whether the request has reached nobody, so that it is safe to send it again.
   *
   * @return false if that is not known
   */
  public boolean neverSent() {
    return neverSent;
  }
}
