package io.svc.json;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The name that a component of a record, or a constant of an enum, has in JSON. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.FIELD})
public @interface JsonName {
  /**
   * The name in JSON.
   *
   * @return such as {@code order_id}
   */
  String value();
}
