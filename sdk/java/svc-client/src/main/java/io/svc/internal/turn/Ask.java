package io.svc.internal.turn;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An entry that the code asks for.
 *
 * @param open makes the wait to open while no entry is recorded; null: a step works on it
 */
record Ask(
    String identity,
    String kind,
    Scope scope,
    Consumer<Map<String, Object>> deliver,
    Consumer<RuntimeException> reject,
    Supplier<Map<String, Object>> open) {}
