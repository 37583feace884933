package io.svc.internal;

import io.svc.errors.Fatal;
import io.svc.json.Json;
import io.svc.json.JsonException;
import java.lang.reflect.Type;

/** What code is called with. Another attempt would find the same, so a wrong shape is fatal. */
public final class Inputs {
  private Inputs() {}

  public static Object decode(Type type, Object value) {
    return decode(type, value, "input");
  }

  public static Object decode(Type type, Object value, String name) {
    try {
      return Json.decode(type, value, name);
    } catch (JsonException error) {
      throw new WrongShape(error);
    }
  }

  private static final class WrongShape extends Fatal {
    private static final long serialVersionUID = 1L;

    WrongShape(JsonException cause) {
      super(cause.getMessage(), cause);
    }

    @Override
    public String errorClass() {
      return "ValidationError";
    }
  }
}
