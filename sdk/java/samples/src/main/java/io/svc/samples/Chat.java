package io.svc.samples;

import io.svc.spring.ApprovalRejectedException;
import io.svc.spring.SvcContextKeys;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** Calls of the model: whole, as a stream, with a tool, and after an approval. */
@RestController
class Chat {
  private final ChatClient client;

  Chat(ChatClient.Builder builder) {
    client = builder.build();
  }

  @PostMapping("/chat")
  Map<String, Object> chat(@RequestBody String question, @RequestParam Map<String, String> keys) {
    ChatClientResponse response = ask(question, keys).call().chatClientResponse();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("content", response.chatResponse().getResult().getOutput().getText());
    answer.put("execution_id", response.context().get(SvcContextKeys.EXECUTION_ID));
    answer.put("workflow_id", response.context().get(SvcContextKeys.WORKFLOW_ID));
    answer.put("session_id", response.context().get(SvcContextKeys.SESSION_ID));
    return answer;
  }

  @PostMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  Flux<String> stream(@RequestBody String question, @RequestParam Map<String, String> keys) {
    return ask(question, keys).stream().content();
  }

  @PostMapping("/tool")
  String tool(@RequestBody String question, @RequestParam Map<String, String> keys) {
    return ask(question, keys).tools(new Clock()).call().content();
  }

  @ExceptionHandler
  ResponseEntity<Map<String, Object>> rejected(ApprovalRejectedException error) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("execution_id", error.executionId());
    answer.put("comment", error.comment().orElse(null));
    return ResponseEntity.status(403).body(answer);
  }

  /** A failed call answers with the type of the exception, as the application gets it. */
  @ExceptionHandler
  ResponseEntity<Map<String, Object>> failed(Exception error) {
    return ResponseEntity.status(502).body(Map.of("error", error.getClass().getName()));
  }

  private ChatClient.ChatClientRequestSpec ask(String question, Map<String, String> keys) {
    Map<String, Object> context = new LinkedHashMap<>(keys);
    return client.prompt().user(question).advisors(advisors -> advisors.params(context));
  }
}
