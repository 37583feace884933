package io.svc.samples;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A web application with chat calls that svc makes durable. */
@SpringBootApplication
public class Sample {
  public static void main(String[] args) {
    SpringApplication.run(Sample.class, args);
  }
}
