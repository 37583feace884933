/** The runtime as the companion uses it: requests, the circuit breaker and the outbox. */
package io.svc.spring.runtime;
