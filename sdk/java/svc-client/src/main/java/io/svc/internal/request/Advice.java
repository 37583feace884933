package io.svc.internal.request;

import io.svc.internal.Address;

/** What to do about an answer that no repetition changes. */
final class Advice {
  private static final String MAKE_TOKEN =
      "Make one with \"svc token create --name NAME --role worker\"";
  private static final String NEEDS_ROLE =
      "A worker needs a token with the role worker, developer or operator. " + MAKE_TOKEN;

  private Advice() {}

  /** The answer, and what to do. */
  static String on(Answer answer, Address address) {
    if (isForeign(answer)) {
      return "what answers at "
          + address.url()
          + " is not svc (status "
          + answer.status()
          + "); check the address and the port";
    }
    String reason = answer.reason();
    String said = address.url() + " refuses the worker (" + answer.status() + "): " + reason;
    return switch (answer.status()) {
      case 401 -> said + ". " + onToken(address);
      case 403 -> reason.startsWith("tenant ") ? said : said + ". " + onRole(reason, address);
      case 404 ->
          said + ". Create it with \"svc tenant create\", or correct Worker.builder().tenant(…)";
      default -> said;
    };
  }

  private static String onToken(Address address) {
    return address.token() == null
        ? "No token was sent; pass Worker.builder().token(…) or set SVC_TOKEN. " + MAKE_TOKEN
        : "The token may be revoked, expired, or of another runtime. " + MAKE_TOKEN;
  }

  private static String onRole(String reason, Address address) {
    return address.tenant() == null || !reason.contains("tenant default")
        ? NEEDS_ROLE
        : "Leave Worker.builder().tenant(…) out, or pass a token of the tenant " + address.tenant();
  }

  /** A claim and a registration find no tenant at most; svc says what it refuses. */
  private static boolean isForeign(Answer answer) {
    Object error = answer.body().get("error");
    if (answer.status() == 404) {
      return !(error instanceof String said && said.startsWith("not found: tenant "));
    }
    return !(error instanceof String) && !(answer.body().get("reason") instanceof String);
  }
}
