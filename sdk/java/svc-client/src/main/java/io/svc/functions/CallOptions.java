package io.svc.functions;

/**
 * How a child starts.
 *
 * @param name names the call in the journal; null: the workflow
 * @param version the version of the workflow; null: the latest
 */
public record CallOptions(String name, String version) {
  /** The latest version, under the name of the workflow. */
  public static final CallOptions DEFAULT = new CallOptions(null, null);

  /**
   * The same with a name.
   *
   * @param name names the call in the journal
   * @return new options
   */
  public CallOptions withName(String name) {
    return new CallOptions(name, version);
  }

  /**
   * The same with a version.
   *
   * @param version the version of the workflow
   * @return new options
   */
  public CallOptions withVersion(String version) {
    return new CallOptions(name, version);
  }
}
