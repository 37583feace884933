package io.svc.client;

import java.util.Optional;

/**
 * What became of one start of many.
 *
 * @param status 201, or the status of the error
 * @param executionId the execution; with a 409 for a key, the execution that has the key
 * @param error why it did not start; empty if it did
 */
public record StartVerdict(int status, Optional<String> executionId, Optional<String> error) {
  /**
   * Whether the execution has started.
   *
   * @return false: see {@link #error}
   */
  public boolean isStarted() {
    return error.isEmpty();
  }
}
