package io.svc.spring.call;

import io.svc.spring.ModelCosts;
import java.util.OptionalDouble;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;

/** A response, or the parts of a stream that have arrived. */
public final class ResponseSoFar {
  private static final Log log = LogFactory.getLog(ResponseSoFar.class);
  private final StringBuilder text = new StringBuilder();
  private final ModelCosts costs;
  private String model;
  private Usage usage;

  /**
   * Nothing yet.
   *
   * @param costs null: no price is known
   */
  public ResponseSoFar(ModelCosts costs) {
    this.costs = costs;
  }

  /** Adds a response or a part. */
  public synchronized void add(ChatClientResponse part) {
    ChatResponse response = part == null ? null : part.chatResponse();
    if (response == null) {
      return;
    }
    for (Generation generation : response.getResults()) {
      String words = generation.getOutput() == null ? null : generation.getOutput().getText();
      text.append(words == null ? "" : words);
    }
    ChatResponseMetadata metadata = response.getMetadata();
    if (metadata != null) {
      model = isBlank(metadata.getModel()) ? model : metadata.getModel();
      // The parts of a stream carry no usage, except the last.
      usage = isCounted(metadata.getUsage()) ? metadata.getUsage() : usage;
    }
  }

  /** What has been said. */
  public synchronized String text() {
    return text.toString();
  }

  /** The model's own name; null if it tells none. */
  public synchronized String model() {
    return model;
  }

  /** Tokens of the prompt; 0 if the model tells none. */
  public synchronized int promptTokens() {
    return usage == null ? 0 : countOf(usage.getPromptTokens());
  }

  /** Tokens of the response; 0 if the model tells none. */
  public synchronized int completionTokens() {
    return usage == null ? 0 : countOf(usage.getCompletionTokens());
  }

  /** All tokens; 0 if the model tells none. */
  public synchronized int totalTokens() {
    return usage == null ? 0 : countOf(usage.getTotalTokens());
  }

  /** The price; empty if it is not known. */
  public synchronized OptionalDouble usd() {
    if (costs == null || usage == null || model == null) {
      return OptionalDouble.empty();
    }
    try {
      return costs.usdOf(model, usage);
    } catch (RuntimeException error) {
      // The application's prices must not fail its calls.
      log.warn("The price of a call of " + model + " is not known: " + error);
      return OptionalDouble.empty();
    }
  }

  private static boolean isCounted(Usage usage) {
    return usage != null && countOf(usage.getTotalTokens()) > 0;
  }

  private static int countOf(Integer tokens) {
    return tokens == null ? 0 : tokens;
  }

  private static boolean isBlank(String text) {
    return text == null || text.isBlank();
  }
}
