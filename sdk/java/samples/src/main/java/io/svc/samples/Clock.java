package io.svc.samples;

import org.springframework.ai.tool.annotation.Tool;

/** A tool of the model. */
class Clock {
  @Tool(name = "read_clock", description = "Tells the time.")
  String read() {
    return "12:00";
  }
}
