package io.svc.json;

import io.svc.errors.SerializationException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Records and enums by reflection. */
final class Records {
  private Records() {}

  static String nameOf(RecordComponent component) {
    JsonName given = component.getAnnotation(JsonName.class);
    return given == null ? component.getName() : given.value();
  }

  static String nameOf(Enum<?> constant) {
    try {
      JsonName given =
          constant.getDeclaringClass().getField(constant.name()).getAnnotation(JsonName.class);
      return given == null ? constant.name() : given.value();
    } catch (NoSuchFieldException error) {
      throw new IllegalStateException(error);
    }
  }

  static Object read(Record fields, RecordComponent component) {
    try {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(fields);
    } catch (InvocationTargetException error) {
      throw new SerializationException(
          component.getName() + " of " + fields.getClass().getSimpleName() + " cannot be read",
          error.getCause());
    } catch (IllegalAccessException | InaccessibleObjectException error) {
      throw new SerializationException(closed(fields.getClass()), error);
    }
  }

  static Object create(Class<?> type, Object[] arguments, String path) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException error) {
      String said = error.getCause().getMessage();
      String name = type.getSimpleName();
      throw new JsonException(path + " is no " + name + ": " + said, error.getCause());
    } catch (ReflectiveOperationException | InaccessibleObjectException error) {
      throw new JsonException(closed(type), error);
    }
  }

  private static String closed(Class<?> type) {
    return type.getName()
        + " is closed: open its package to the module io.svc.client with \"opens\"";
  }
}
