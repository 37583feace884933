"""Replays a recorded history against the code of a function, without running a step."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable
from typing import Any

from .._signal import Signal
from .._threads import Threads
from ..functions.attempt import TurnTools
from ..functions.context import ItemFacts
from ..functions.define import Function
from ..functions.journal import Entry, Exceeded, Wait
from ..functions.run_turn import replay_turn
from .history import Event, entries_in, input_of

_SILENT = logging.getLogger("svc_sdk.replay")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False
_FACTS = {"execution_id": "replayed", "turn": 0, "attempt": 0, "traceparent": None}


def replay_history(
    served: Function[Any, Any],
    events: Iterable[Event],
    *,
    node_id: str | None = None,
    input: object = None,
) -> None:
    """Checks that the code of today can continue the execution that recorded these events.

    Of a function that continued as new, it replays the last visit that recorded steps. Of a retry, it
    replays the steps too that the retry took over.

    events: those of `handle.history()`, of `GET /executions/{id}/events` or of an export.
    node_id: the node of the function. Default: the only one that recorded steps.
    input: the input of the visit. Default: the recorded one.

    Raises NonDeterminismError when the code asks for something else than was recorded, and
    ValueError when the history has no steps of such a node.
    """
    all_events = [*events]
    node, visit = _find_visit(all_events, node_id)
    entries = [
        entry
        for recorded in entries_in(all_events)
        if (recorded.node_id, recorded.visit) == (node, visit)
        for entry in recorded.entries
    ]
    given = input_of(all_events, node, visit) if input is None else input
    _run_apart(served, entries, given, node)


def _find_visit(events: list[Event], node_id: str | None) -> tuple[str, int]:
    recorded = [one for one in entries_in(events) if node_id in (None, one.node_id)]
    if not recorded:
        raise ValueError("the history has no recorded steps of such a node")
    nodes = [*dict.fromkeys(one.node_id for one in recorded)]
    if len(nodes) > 1:
        raise ValueError(f"name one of these nodes as node_id: {', '.join(nodes)}")
    return recorded[-1].node_id, recorded[-1].visit


def _run_apart(
    served: Function[Any, Any], entries: list[Entry], input: object, node_id: str
) -> None:
    """On a thread, so that tests with an event loop of their own may call it too."""
    raised: list[BaseException] = []

    async def replay() -> None:
        threads = Threads("svc-replay")
        facts = ItemFacts(node_id=node_id, idempotency_key="replayed", **_FACTS)  # type: ignore[arg-type]
        logger: logging.LoggerAdapter[logging.Logger] = logging.LoggerAdapter(_SILENT, {})
        tools = TurnTools("replayed", Signal(), logger, threads)
        try:
            await replay_turn(
                served, input=input, journal=_ReadOnly(entries), facts=facts, tools=tools
            )
        finally:
            threads.close()

    def run() -> None:
        try:
            asyncio.run(replay())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="svc-replay")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


class _ReadOnly:
    """Values that the code asks for behind the last entry go nowhere."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries

    async def record(self, entries: list[Entry]) -> Exceeded | None:
        return None

    async def suspend(self, entries: list[Entry], waits: list[Wait]) -> list[Entry] | None:
        return None
