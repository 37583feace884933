package io.svc.worker;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method a tool: see {@link Worker.Builder#register}. The method takes the input of the
 * node, or a {@link ToolContext}, or both in this order, or nothing.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface SvcTool {
  /**
   * The name of the tool, as nodes give it.
   *
   * @return {@code module.function}, or {@code class.method}
   */
  String value();
}
