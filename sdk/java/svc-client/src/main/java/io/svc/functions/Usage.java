package io.svc.functions;

import io.svc.errors.Fatal;

/**
 * What a step has used of a model.
 *
 * @param model the model; null if it is not to be priced
 * @param inputTokens from 0
 * @param outputTokens from 0
 * @param costUsd replaces the list price; null: svc calculates the cost if it knows the price
 */
public record Usage(String model, long inputTokens, long outputTokens, Double costUsd) {
  /** Refuses what is no usage. */
  public Usage {
    if (inputTokens < 0 || outputTokens < 0) {
      throw new Fatal("tokens must be from 0: " + inputTokens + ", " + outputTokens);
    }
    if (costUsd != null && !(Double.isFinite(costUsd) && costUsd >= 0)) {
      throw new Fatal("costUsd must be a number from 0: " + costUsd);
    }
  }
}
