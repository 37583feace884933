package io.svc.spring;

import java.util.OptionalDouble;
import org.springframework.ai.chat.metadata.Usage;

/**
 * Prices of model calls. A bean of this type makes the companion report costs, which no model
 * tells.
 */
@FunctionalInterface
public interface ModelCosts {
  /**
   * The price of one call.
   *
   * @param model the name that the model gives itself
   * @param usage the tokens
   * @return US dollars; empty if the price is not known
   */
  OptionalDouble usdOf(String model, Usage usage);
}
