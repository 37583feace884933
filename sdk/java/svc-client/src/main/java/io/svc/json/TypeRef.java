package io.svc.json;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A type with its parameters: {@code new TypeRef<List<Order>>() {}}.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
  private final Type type;

  /** Reads the type from the declaration of the subclass. */
  protected TypeRef() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType parent)) {
      throw new IllegalStateException("write new TypeRef<List<Order>>() {}, with the type");
    }
    type = parent.getActualTypeArguments()[0];
  }

  /**
   * The type itself.
   *
   * @return the type with its parameters
   */
  public final Type type() {
    return type;
  }
}
