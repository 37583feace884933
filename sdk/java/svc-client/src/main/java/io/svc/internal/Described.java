package io.svc.internal;

import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;

/** The message and the class that the runtime records for an error. */
public record Described(String message, String errorClass) {
  public static Described of(Throwable error) {
    return switch (error) {
      case RetryAfter later when later.getCause() != null -> of(later.getCause());
      case Fatal fatal -> new Described(messageOf(fatal), fatal.errorClass());
      default -> new Described(messageOf(error), nameOf(error.getClass()));
    };
  }

  private static String messageOf(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isEmpty() ? nameOf(error.getClass()) : message;
  }

  private static String nameOf(Class<?> type) {
    String name = type.getSimpleName();
    return name.isEmpty() ? nameOf(type.getSuperclass()) : name;
  }
}
