package io.svc.internal.turn;

import io.svc.internal.ItemLogger;
import io.svc.internal.Signal;

/** What a turn has from its worker. */
public record TurnTools(String visitKey, Signal stopped, ItemLogger logger) {}
