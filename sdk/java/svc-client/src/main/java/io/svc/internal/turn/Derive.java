package io.svc.internal.turn;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** Keys and values that are the same in each turn: hashes of the visit and an identity. */
final class Derive {
  private static final double TWO_52 = 1L << 52;

  private Derive() {}

  /** The idempotency key of a step. */
  static String key(String visitKey, String identity) {
    byte[] text = (visitKey + "\n" + identity).getBytes(StandardCharsets.UTF_8);
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  /** From 0 to below 1, with 52 bits. */
  static double random(String key) {
    return Long.parseLong(key.substring(0, 13), 16) / TWO_52;
  }

  /** A UUID of version 8 (RFC 9562). */
  static UUID uuid(String key) {
    String variant = Integer.toHexString(Character.digit(key.charAt(16), 16) & 3 | 8);
    String first = key.substring(0, 12) + "8" + key.substring(13, 16);
    String digits = first + variant + key.substring(17, 32);
    return new UUID(
        Long.parseUnsignedLong(digits.substring(0, 16), 16),
        Long.parseUnsignedLong(digits.substring(16), 16));
  }
}
