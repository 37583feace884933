package io.svc.functions;

import java.time.Duration;

/**
 * How a function waits for an event.
 *
 * @param key the correlation key; null: the name of the wait
 * @param timeout the longest time to wait; null: none
 */
public record EventOptions(String key, Duration timeout) {
  /** The name is the key, and there is no time limit. */
  public static final EventOptions DEFAULT = new EventOptions(null, null);

  /**
   * The same with a key.
   *
   * @param key the correlation key
   * @return new options
   */
  public EventOptions withKey(String key) {
    return new EventOptions(key, timeout);
  }

  /**
   * The same with a time limit.
   *
   * @param timeout the longest time to wait
   * @return new options
   */
  public EventOptions withTimeout(Duration timeout) {
    return new EventOptions(key, timeout);
  }
}
