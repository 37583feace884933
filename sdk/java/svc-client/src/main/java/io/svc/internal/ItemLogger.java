package io.svc.internal;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import java.util.function.BooleanSupplier;

/** Puts the ids of the item behind each line, and is silent while it is told to be. */
public record ItemLogger(System.Logger inner, String facts, BooleanSupplier isSilent)
    implements System.Logger {
  public ItemLogger(System.Logger inner, String facts) {
    this(inner, facts, () -> false);
  }

  public ItemLogger silentWhile(BooleanSupplier condition) {
    return new ItemLogger(inner, facts, condition);
  }

  @Override
  public String getName() {
    return inner.getName();
  }

  @Override
  public boolean isLoggable(Level level) {
    return !isSilent.getAsBoolean() && inner.isLoggable(level);
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    if (isLoggable(level)) {
      inner.log(level, message + " [" + facts + "]", thrown);
    }
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... given) {
    if (isLoggable(level)) {
      boolean isPlain = given == null || given.length == 0;
      String message = isPlain ? format : MessageFormat.format(format, given);
      inner.log(level, message + " [" + facts + "]");
    }
  }
}
