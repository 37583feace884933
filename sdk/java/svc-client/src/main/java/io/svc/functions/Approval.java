package io.svc.functions;

import io.svc.json.JsonName;

/**
 * The decision of a person.
 *
 * @param isApproved false: it is rejected
 * @param decidedBy who decided; null if that is not known
 * @param comment why; null for none
 */
public record Approval(
    @JsonName("approved") boolean isApproved,
    @JsonName("decided_by") String decidedBy,
    String comment) {}
