package io.svc.spring.call;

import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.messages.Message;

/** The text of a prompt as people read it: its messages, one a line. */
public final class PromptText {
  private PromptText() {}

  /** The messages of a request that have text. */
  public static String of(ChatClientRequest request) {
    return request.prompt().getInstructions().stream()
        .map(Message::getText)
        .filter(Objects::nonNull)
        .collect(Collectors.joining("\n"));
  }
}
