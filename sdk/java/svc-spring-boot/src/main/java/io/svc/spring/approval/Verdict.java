package io.svc.spring.approval;

/**
 * What was decided.
 *
 * @param isApproved false: the call fails
 * @param comment the reviewer's words; null if there are none
 */
record Verdict(boolean isApproved, String comment) {}
