package io.svc.json;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Numbers of JSON as Java's numbers. */
final class Numbers {
  private Numbers() {}

  /** Null: the number does not fit the type, or the type is no number. */
  static Object as(Class<?> type, Number number) {
    if (type == double.class || type == Double.class) {
      return number.doubleValue();
    }
    if (type == float.class || type == Float.class) {
      return number.floatValue();
    }
    if (type == BigDecimal.class) {
      return new BigDecimal(number.toString());
    }
    return isWhole(number) ? asWhole(type, number) : null;
  }

  private static boolean isWhole(Number number) {
    double value = number.doubleValue();
    return number instanceof Long || value == Math.rint(value);
  }

  private static Object asWhole(Class<?> type, Number number) {
    BigInteger whole = new BigDecimal(number.toString()).toBigInteger();
    if (type == BigInteger.class) {
      return whole;
    }
    if (type == long.class || type == Long.class) {
      return whole.bitLength() < Long.SIZE ? whole.longValue() : null;
    }
    if (type == int.class || type == Integer.class) {
      return whole.bitLength() < Integer.SIZE ? whole.intValue() : null;
    }
    if (type == short.class || type == Short.class) {
      return whole.bitLength() < Short.SIZE ? whole.shortValue() : null;
    }
    if (type == byte.class || type == Byte.class) {
      return whole.bitLength() < Byte.SIZE ? whole.byteValue() : null;
    }
    return null;
  }
}
