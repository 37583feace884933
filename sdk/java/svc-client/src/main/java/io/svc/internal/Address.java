package io.svc.internal;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Where the runtime is, and who asks.
 *
 * @param url without a slash at the end
 * @param token gives the token of each request; null: none is sent
 * @param tenant another tenant than the token's; null: the token's
 */
public record Address(String url, Supplier<String> token, String tenant) {
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");
  private static final String DEFAULT_URL = "http://127.0.0.1:7700";

  /**
   * What is given, else {@code SVC_URL} and {@code SVC_TOKEN} of the environment.
   *
   * @param url null for the default
   * @param token null for the default
   * @param tenant null for the token's
   * @return the address
   * @throws IllegalArgumentException for what is no address of a service
   */
  public static Address of(String url, Supplier<String> token, String tenant) {
    String found = firstOf(url, System.getenv("SVC_URL"), DEFAULT_URL);
    if (!isAddress(found)) {
      throw new IllegalArgumentException(
          "url must be an address such as " + DEFAULT_URL + ", not " + found);
    }
    String given = firstOf(System.getenv("SVC_TOKEN"), null, null);
    Supplier<String> source = token != null || given == null ? token : () -> given;
    return new Address(found.replaceAll("/+$", ""), source, tenant);
  }

  /**
   * The headers of a request.
   *
   * @return authorization and tenant
   * @throws IllegalArgumentException if the token has characters that no token has
   */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    if (token != null) {
      headers.put("authorization", "Bearer " + readToken());
    }
    if (tenant != null) {
      headers.put("x-tenant-id", tenant);
    }
    return headers;
  }

  /** Leaves the token out, which a log must not have. */
  @Override
  public String toString() {
    return "Address[" + url + "]";
  }

  private String readToken() {
    String text = token.get();
    if (text == null || !TOKEN.matcher(text.strip()).matches()) {
      throw new IllegalArgumentException(
          "the token is empty, or has spaces or other characters that no token has");
    }
    return text.strip();
  }

  private static boolean isAddress(String text) {
    try {
      URI uri = URI.create(text);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      return isHttp && uri.getHost() != null;
    } catch (IllegalArgumentException error) {
      return false;
    }
  }

  private static String firstOf(String... texts) {
    for (String text : texts) {
      if (text != null && !text.isEmpty()) {
        return text;
      }
    }
    return null;
  }
}
