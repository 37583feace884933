package io.svc.worker;

/** The runtime refuses the entries: too many, too large, or in conflict with the journal. */
final class JournalRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final boolean isFinal;

  JournalRefused(String message, boolean isFinal) {
    super(message);
    this.isFinal = isFinal;
  }

  /** Sent again, they would be refused again. */
  boolean isFinal() {
    return isFinal;
  }
}
