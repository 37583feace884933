package io.svc.errors;

/**
 * What is known of a request that failed.
 *
 * @param code for programs, and stable
 * @param status the HTTP status; 0 if there was no answer
 * @param body JSON as maps and lists, or text; null if there is none
 * @param requestId {@code X-Request-Id} of the answer; null if it has none
 */
public record Refusal(String code, int status, Object body, String requestId) {
  /**
   * An error without an answer.
   *
   * @param code for programs, and stable
   * @return a refusal without status and body
   */
  public static Refusal withoutAnswer(String code) {
    return new Refusal(code, 0, null, null);
  }
}
