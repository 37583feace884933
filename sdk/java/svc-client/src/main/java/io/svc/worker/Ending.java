package io.svc.worker;

import java.util.Locale;

/** What became of an item. */
enum Ending {
  COMPLETED,
  CONTINUED,
  FAILED,
  SUSPENDED,
  RELEASED,
  /** By an earlier request, or by somebody else. */
  SETTLED,
  /** The lease was lost first. */
  ABANDONED;

  boolean isBad() {
    return this == FAILED || this == ABANDONED;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
