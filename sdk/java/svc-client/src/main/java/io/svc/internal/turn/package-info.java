/** One turn of a durable function: its journal, its branches and its steps. */
package io.svc.internal.turn;
