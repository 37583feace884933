package io.svc.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tools of an object: its methods with {@link SvcTool}, also those of its superclasses. */
final class AnnotatedTools {
  private AnnotatedTools() {}

  static List<Tool> of(Object target) {
    Map<String, Method> methods = new LinkedHashMap<>();
    for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        SvcTool tool = method.getAnnotation(SvcTool.class);
        if (tool != null && !method.isBridge()) {
          addUnlessOverridden(methods, tool.value(), method);
        }
      }
    }
    if (methods.isEmpty()) {
      throw new IllegalArgumentException(
          target.getClass().getName() + " has no method with @SvcTool");
    }
    List<Tool> tools = new ArrayList<>();
    methods.forEach((name, method) -> tools.add(toolOf(name, method, target)));
    return tools;
  }

  private static void addUnlessOverridden(
      Map<String, Method> methods, String name, Method method) {
    Method other = methods.putIfAbsent(name, method);
    if (other != null && other.getDeclaringClass() == method.getDeclaringClass()) {
      throw new IllegalArgumentException("two methods have the name " + name);
    }
  }

  private static Tool toolOf(String name, Method method, Object target) {
    Type[] types = method.getGenericParameterTypes();
    boolean isTakingContext = types.length > 0 && types[types.length - 1] == ToolContext.class;
    int inputs = types.length - (isTakingContext ? 1 : 0);
    if (inputs > 1) {
      throw new IllegalArgumentException(
          "the tool " + name + " takes the input, a ToolContext, or both: " + method);
    }
    method.setAccessible(true);
    Type input = inputs == 1 ? types[0] : Object.class;
    return new Tool(
        name,
        input,
        (given, ctx) -> call(method, target, argumentsOf(given, ctx, inputs, isTakingContext)));
  }

  private static Object[] argumentsOf(
      Object input, ToolContext ctx, int inputs, boolean isTakingContext) {
    List<Object> arguments = new ArrayList<>();
    if (inputs == 1) {
      arguments.add(input);
    }
    if (isTakingContext) {
      arguments.add(ctx);
    }
    return arguments.toArray();
  }

  private static Object call(Method method, Object target, Object[] arguments) throws Exception {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException error) {
      if (error.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw (Error) error.getCause();
    }
  }
}
