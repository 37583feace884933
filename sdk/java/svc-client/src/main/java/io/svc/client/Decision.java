package io.svc.client;

import io.svc.json.Json;
import java.util.Map;

/**
 * The decision of an approval. Null leaves a member out.
 *
 * @param isApproved false rejects
 * @param comment why
 * @param userId the user who decides; default: the actor of the token
 * @param nodeId the node, where several approvals are open
 * @param step the approval of a durable function, where it waits for several
 */
public record Decision(
    boolean isApproved, String comment, String userId, String nodeId, String step) {
  /**
   * An approval.
   *
   * @return without a comment
   */
  public static Decision approved() {
    return new Decision(true, null, null, null, null);
  }

  /**
   * A rejection.
   *
   * @return without a comment
   */
  public static Decision rejected() {
    return new Decision(false, null, null, null, null);
  }

  /**
   * The same with a comment.
   *
   * @param comment why
   * @return a new decision
   */
  public Decision withComment(String comment) {
    return new Decision(isApproved, comment, userId, nodeId, step);
  }

  /**
   * The same with a user.
   *
   * @param userId the user who decides
   * @return a new decision
   */
  public Decision withUserId(String userId) {
    return new Decision(isApproved, comment, userId, nodeId, step);
  }

  /**
   * The same for one node.
   *
   * @param nodeId the node whose approval it is
   * @return a new decision
   */
  public Decision withNodeId(String nodeId) {
    return new Decision(isApproved, comment, userId, nodeId, step);
  }

  /**
   * The same for one approval of a durable function.
   *
   * @param step the name of the approval
   * @return a new decision
   */
  public Decision withStep(String step) {
    return new Decision(isApproved, comment, userId, nodeId, step);
  }

  Map<String, Object> toBody() {
    return Json.object(
        "decision", isApproved ? "approved" : "rejected",
        "comment", comment,
        "user_id", userId,
        "node_id", nodeId,
        "step", step);
  }
}
