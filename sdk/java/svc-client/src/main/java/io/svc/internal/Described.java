package io.svc.internal;

import io.svc.errors.Fatal;
import io.svc.errors.RetryAfter;
import io.svc.functions.ChildException;
import io.svc.functions.StepException;

/** The message and the class that the runtime records for an error. */
public record Described(String message, String errorClass) {
  public static Described of(Throwable error) {
    return switch (error) {
      case RetryAfter later when later.getCause() != null -> of(later.getCause());
      case StepException step -> new Described(messageOf(step), step.errorClass());
      case ChildException child -> new Described(messageOf(child), child.errorClass());
      case Fatal fatal -> new Described(messageOf(fatal), fatal.errorClass());
      default -> new Described(messageOf(error), nameOf(error.getClass()));
    };
  }

  /** The same for the error of a function: the message names the step that failed. */
  public static Described ofFunction(Throwable error) {
    Described own = of(error);
    return error instanceof StepException step
        ? new Described("step " + step.step() + ": " + own.message(), own.errorClass())
        : own;
  }

  private static String messageOf(Throwable error) {
    String message = error.getMessage();
    return message == null || message.isEmpty() ? nameOf(error.getClass()) : message;
  }

  private static String nameOf(Class<?> type) {
    String name = type.getSimpleName();
    if (name.isEmpty()) {
      return nameOf(type.getSuperclass());
    }
    // The errors of functions have the same class in every SDK.
    boolean isOurs = type.getPackage() == StepException.class.getPackage();
    return isOurs ? name.replaceFirst("Exception$", "Error") : name;
  }
}
