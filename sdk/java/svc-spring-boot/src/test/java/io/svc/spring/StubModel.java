package io.svc.spring;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;

/** A model in the process of the test. */
final class StubModel implements ChatModel {
  private final Function<String, String> answer;
  final AtomicInteger calls = new AtomicInteger();

  StubModel(Function<String, String> answer) {
    this.answer = answer;
  }

  static StubModel echo() {
    return new StubModel(question -> "Re: " + question);
  }

  @Override
  public ChatResponse call(Prompt prompt) {
    calls.incrementAndGet();
    return response(answer.apply(prompt.getUserMessage().getText()), 10);
  }

  /** Two parts; the second has the usage. */
  @Override
  public Flux<ChatResponse> stream(Prompt prompt) {
    calls.incrementAndGet();
    String text = answer.apply(prompt.getUserMessage().getText());
    return Flux.just(
        response(text.substring(0, 2), 0), response(text.substring(2), 10));
  }

  @Override
  public ChatOptions getDefaultOptions() {
    return ChatOptions.builder().model("stub").build();
  }

  private static ChatResponse response(String text, int promptTokens) {
    ChatResponseMetadata metadata =
        ChatResponseMetadata.builder()
            .model("stub-1")
            .usage(new DefaultUsage(promptTokens, promptTokens / 2))
            .build();
    return new ChatResponse(List.of(new Generation(new AssistantMessage(text))), metadata);
  }
}
