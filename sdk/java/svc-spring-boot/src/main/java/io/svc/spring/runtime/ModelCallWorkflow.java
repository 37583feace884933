package io.svc.spring.runtime;

import io.svc.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The workflow of one model call.
 *
 * <p>{@code approval}, where the call asks for one, then {@code call}, which waits for the external
 * event that the application sends at the end of the call. An application that dies sends none, so
 * both waits have a limit, after which the execution fails. The version is the hash of the content:
 * applications with different settings never replace each other's.
 */
public final class ModelCallWorkflow {
  /** The node that waits for the person. */
  public static final String APPROVAL_NODE = "approval";

  /** The node that waits for the end of the call. */
  public static final String CALL_NODE = "call";

  /** The key of the event at the end of the call. */
  public static final String FINISHED_KEY = "svc.call.finished";

  /** A call that takes longer finds its execution failed. */
  private static final Duration CALL_TIME_MAX = Duration.ofHours(1);

  /** What a living application has, beyond its timeout, to record the default decision. */
  private static final Duration DECISION_GRACE = Duration.ofMinutes(1);

  private static final int VERSION_DIGITS = 12;
  private final String id;
  private final String version;
  private final Map<String, Object> ir;

  /**
   * The workflow of an application.
   *
   * @param application the name of the application
   * @param approvalTimeout the longest wait for a decision
   */
  public ModelCallWorkflow(String application, Duration approvalTimeout) {
    id = application + ".model-call";
    Map<String, Object> content =
        Json.object(
            "workflow_id", id,
            "start_node", "gate",
            "nodes", nodes(approvalTimeout.plus(DECISION_GRACE)),
            "edges", List.of(edge(APPROVAL_NODE, CALL_NODE), edge(CALL_NODE, "outcome")));
    version = hashOf(content);
    ir = Json.object("version", version);
    ir.putAll(content);
  }

  /**
   * The workflow's id.
   *
   * @return the name of the application and {@code .model-call}
   */
  public String id() {
    return id;
  }

  /**
   * The workflow's version.
   *
   * @return the first digits of a hash of its content
   */
  public String version() {
    return version;
  }

  /**
   * The definition.
   *
   * @return an object of JSON
   */
  public Map<String, Object> ir() {
    return ir;
  }

  private static Map<String, Object> nodes(Duration approvalLimit) {
    return Json.object(
        "gate",
        choice("input.approval_required == true", APPROVAL_NODE, CALL_NODE),
        APPROVAL_NODE,
        node(
            "type", "human_approval",
            "description", "May the application call the model?",
            "timeout_secs", approvalLimit.toSeconds()),
        CALL_NODE,
        Json.object(
            "kind",
            Json.object(
                "type", "wait",
                "condition", "external_event",
                "correlation_key", FINISHED_KEY,
                "timeout_secs", CALL_TIME_MAX.toSeconds()),
            "output_key",
            "call"),
        "outcome",
        choice("state.call.status == \"failed\"", "model_call", "end"),
        "model_call",
        node("type", "fail", "message", "$.call.error", "class", "model_call"));
  }

  private static Map<String, Object> choice(String condition, String then, String otherwise) {
    Map<String, Object> first = Json.object("condition", condition, "target", then);
    return node("type", "condition", "branches", List.of(first, Map.of("target", otherwise)));
  }

  private static Map<String, Object> node(Object... kind) {
    return Map.of("kind", Json.object(kind));
  }

  private static Map<String, Object> edge(String from, String to) {
    return Json.object("from", from, "to", to);
  }

  private static String hashOf(Map<String, Object> content) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      byte[] hash = sha256.digest(Json.write(content).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, VERSION_DIGITS);
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
  }
}
