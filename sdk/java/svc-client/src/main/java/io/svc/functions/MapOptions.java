package io.svc.functions;

/**
 * How the items of a list are worked on.
 *
 * @param name names the map in the journal
 * @param concurrency items at the same time, from 1
 */
public record MapOptions(String name, int concurrency) {
  /** Ten items at the same time. */
  public static final MapOptions DEFAULT = new MapOptions("map", 10);

  /** Refuses a map that works on nothing. */
  public MapOptions {
    if (concurrency < 1) {
      throw new IllegalArgumentException("concurrency must be at least 1: " + concurrency);
    }
  }

  /**
   * The same with a name.
   *
   * @param name names the map in the journal
   * @return new options
   */
  public MapOptions withName(String name) {
    return new MapOptions(name, concurrency);
  }

  /**
   * The same with another concurrency.
   *
   * @param concurrency items at the same time, from 1
   * @return new options
   */
  public MapOptions withConcurrency(int concurrency) {
    return new MapOptions(name, concurrency);
  }
}
