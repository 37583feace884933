/** The client of the HTTP API. */
package io.svc.client;
