package io.svc.errors;

/** The worker no longer holds the item: its lease expired, or its execution ended. */
public final class LeaseLost extends Cancelled {
  private static final long serialVersionUID = 1L;

  /**
   * Says why.
   *
   * @param message what the runtime said
   */
  public LeaseLost(String message) {
    super(message);
  }
}
