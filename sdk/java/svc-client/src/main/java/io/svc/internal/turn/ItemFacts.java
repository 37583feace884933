package io.svc.internal.turn;

import java.util.Optional;

/** What a function knows about its item. */
public record ItemFacts(
    String executionId,
    String nodeId,
    int turn,
    int attempt,
    String idempotencyKey,
    Optional<String> traceparent) {}
