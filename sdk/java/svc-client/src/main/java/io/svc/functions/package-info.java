/** Durable functions: plain code whose steps svc keeps in a journal. */
package io.svc.functions;
