package io.svc.spring.call;

import io.svc.spring.ModelCosts;
import java.util.Optional;
import org.springframework.ai.chat.client.ChatClientResponse;

/** The call of a stream, which may be cancelled before its execution is known. */
final class StreamedCall {
  private final ResponseSoFar response;
  private Optional<ModelCall> call = Optional.empty();
  private boolean isOver;

  StreamedCall(ModelCosts costs) {
    response = new ResponseSoFar(costs);
  }

  synchronized Optional<ModelCall> begun(Optional<ModelCall> begun) {
    call = begun;
    if (isOver) {
      begun.ifPresent(ModelCall::cancel);
    }
    return begun;
  }

  void add(ChatClientResponse part) {
    response.add(part);
  }

  synchronized void complete() {
    isOver = true;
    call.ifPresent(known -> known.complete(response));
  }

  synchronized void fail(Throwable error) {
    isOver = true;
    call.ifPresent(known -> known.fail(error));
  }

  synchronized void cancelUnlessEnded() {
    isOver = true;
    call.ifPresent(ModelCall::cancel);
  }
}
