"""What the events of an execution say about its durable functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Event = Mapping[str, Any]


@dataclass(frozen=True)
class RecordedStep:
    """An entry of the journal of a function."""

    name: str
    """As `charge`, `charge#2` or `map[3]/charge`."""
    kind: str
    """`step`, `timer`, `event`, `approval`, `child`, `rollback` and others."""
    visit: int
    """Of the node, from 0. A function that continues as new begins another visit."""
    output: Any
    error: str | None
    """The message; None: it succeeded."""
    usage: dict[str, Any] | None


@dataclass(frozen=True)
class VisitEntries:
    """Entries of a visit that were recorded together."""

    node_id: str
    visit: int
    entries: list[dict[str, Any]]


def recorded_steps(events: Iterable[Event]) -> list[RecordedStep]:
    """All entries of an execution, in the order in which they were recorded.

    events: those of `handle.history()`.
    """
    return [
        RecordedStep(
            entry["identity"],
            entry["kind"],
            recorded.visit,
            entry.get("output"),
            (entry.get("error") or {}).get("message"),
            entry.get("usage"),
        )
        for recorded in _recorded_in([*events])
        for entry in recorded.entries
    ]


def entries_in(events: list[Event]) -> list[VisitEntries]:
    """All entries. Those that a retry takes over come first, until their visit has its own events."""
    recorded = _recorded_in(events)
    told = {(one.node_id, one.visit) for one in recorded}
    carried = _started_in(events).get("carried") or {}
    before = [
        VisitEntries(one["node_id"], one["visit"], one["entries"])
        for one in carried.get("journals") or []
    ]
    return [one for one in before if (one.node_id, one.visit) not in told] + recorded


def input_of(events: list[Event], node_id: str, visit: int) -> Any:
    """The input of a visit: what the visit before continued with, or that of the execution or its batch."""
    continues = (_payload_of(events, "NodeScheduled", node_id, visit) or {}).get("continues")
    if continues is not None:
        before = _payload_of(events, "NodeContinuedAsNew", node_id, continues) or {}
        return before.get("input", {})
    started = _started_in(events)
    for one in (started.get("carried") or {}).get("inputs") or []:
        if (one["node_id"], one["visit"]) == (node_id, visit):
            return one["input"]
    return _batch_in(events).get("input", started.get("input", {}))


def _recorded_in(events: list[Event]) -> list[VisitEntries]:
    return [
        VisitEntries(one.get("node_id") or "", one["payload"]["visit"], one["payload"]["entries"])
        for one in events
        if one["kind"] == "StepRecorded"
    ]


def _started_in(events: list[Event]) -> Mapping[str, Any]:
    return _first_of(events, "WorkflowStarted")


def _batch_in(events: list[Event]) -> Mapping[str, Any]:
    return _first_of(events, "BatchClosed")


def _first_of(events: list[Event], kind: str) -> Mapping[str, Any]:
    for one in events:
        if one["kind"] == kind:
            payload: Mapping[str, Any] = one["payload"]
            return payload
    return {}


def _payload_of(
    events: list[Event], kind: str, node_id: str, visit: int
) -> Mapping[str, Any] | None:
    for one in events:
        if one["kind"] == kind and one.get("node_id") == node_id:
            payload: Mapping[str, Any] = one["payload"]
            if payload.get("visit") == visit:
                return payload
    return None
