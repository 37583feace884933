package io.svc.support;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/** A logger that keeps its lines. */
public final class Logged implements System.Logger {
  public record Line(Level level, String message, Throwable thrown) {}

  private final List<Line> lines = new CopyOnWriteArrayList<>();

  public List<String> messages(Level level) {
    return lines.stream().filter(one -> one.level == level).map(Line::message).toList();
  }

  @Override
  public String getName() {
    return "test";
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
    lines.add(new Line(level, message, thrown));
  }

  @Override
  public void log(Level level, ResourceBundle bundle, String format, Object... given) {
    lines.add(new Line(level, format, null));
  }
}
