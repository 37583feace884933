package io.svc.spring.approval;

import io.svc.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The endpoints of the application, for servlets and WebFlux alike. Bodies are bytes, so it matters
 * to nobody which Jackson the application has.
 */
@RestController
public class ApprovalEndpoints {
  private final Approvals approvals;

  /** Endpoints of these approvals. */
  public ApprovalEndpoints(Approvals approvals) {
    this.approvals = approvals;
  }

  /** Decides on a call that waits. */
  @PostMapping("/svc/approvals/{executionId}")
  public Mono<ResponseEntity<byte[]>> decide(
      @PathVariable("executionId") String executionId,
      @RequestBody(required = false) byte[] body) {
    return answer(() -> approvals.decide(executionId, body));
  }

  /** Lists the calls that wait. */
  @GetMapping("/svc/approvals/pending")
  public Mono<ResponseEntity<byte[]>> pending() {
    return answer(approvals::pending);
  }

  private static Mono<ResponseEntity<byte[]>> answer(Supplier<Approvals.Answer> work) {
    return Mono.fromSupplier(work)
        .subscribeOn(Schedulers.boundedElastic())
        .map(
            answer ->
                ResponseEntity.status(answer.status())
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(Json.write(answer.body()).getBytes(StandardCharsets.UTF_8)));
  }
}
