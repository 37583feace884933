/** The requests of a worker: what answers say, and what to do when there is none. */
package io.svc.internal.request;
