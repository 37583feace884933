package io.svc.internal;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handles SIGTERM and SIGINT until it is closed, so that a program that stops in order ends with 0.
 *
 * <p>The JDK has {@code sun.misc.Signal} for that, in the module {@code jdk.unsupported}. Compilers
 * warn about each use, and reflection is the one way around. Where the JDK handles no signals, as
 * with {@code -Xrs}, they end the program as usual.
 */
public final class Signals implements AutoCloseable {
  private static final List<String> NAMES = List.of("TERM", "INT");

  /** The signals, and their former handlers. */
  private final Map<Object, Object> former = new LinkedHashMap<>();

  public Signals(Runnable stop) {
    try {
      Class<?> type = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> answer(proxy, method, arguments, stop));
      for (String name : NAMES) {
        Object signal =
            Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance(name);
        former.put(signal, handle(signal, handler));
      }
    } catch (ReflectiveOperationException | IllegalArgumentException error) {
      close();
    }
  }

  @Override
  public void close() {
    former.forEach(Signals::restore);
    former.clear();
  }

  private static Object answer(Object proxy, Method method, Object[] arguments, Runnable stop) {
    return switch (method.getName()) {
      case "handle" -> {
        stop.run();
        yield null;
      }
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> Signals.class.getName();
    };
  }

  private static void restore(Object signal, Object handler) {
    try {
      handle(signal, handler);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static Object handle(Object signal, Object handler) throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.SignalHandler");
    return signal
        .getClass()
        .getMethod("handle", signal.getClass(), type)
        .invoke(null, signal, handler);
  }
}
