package io.svc.internal;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;

/** Requests that nobody has got, because there was no connection. */
public final class Unreached {
  private Unreached() {}

  public static boolean isCause(Throwable cause) {
    return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
  }

  /** Says what to check. */
  public static String explain(Address address, Throwable cause) {
    return "no answer from "
        + address.url()
        + ": "
        + why(cause)
        + "; check the address and the port, and that svc is running: start it with \"svc dev\"";
  }

  /** The client of the JDK leaves out the message. */
  private static String why(Throwable cause) {
    for (Throwable inner = cause; inner != null; inner = inner.getCause()) {
      if (inner instanceof UnresolvedAddressException) {
        return "unknown host";
      }
    }
    return cause.getMessage() != null ? cause.getMessage() : "cannot connect";
  }
}
