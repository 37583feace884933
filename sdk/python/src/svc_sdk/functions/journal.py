"""The journal of one visit of a function's node, as `docs/reference/function-protocol.md` defines it."""

from __future__ import annotations

from typing import Any, Protocol

from ..errors import ChildError, StepError, WaitTimeoutError

Entry = dict[str, Any]
"""`{identity, kind, output? | error?, attempts?, started_at?, duration_ms?, usage?}`"""
Wait = dict[str, Any]
Exceeded = dict[str, Any]
"""A budget that is used up."""

ENTRIES_AT_ONCE_MAX = 100
WAITS_MAX = 100
ENTRIES_MAX = 10_000


class Journal(Protocol):
    """Calls come one after the other. Any error that one raises ends the turn."""

    entries: list[Entry]
    """Recorded when the turn begins."""

    async def record(self, entries: list[Entry]) -> Exceeded | None:
        """Appends up to 100 entries in one commit. Gives the budget that they exceed."""

    async def suspend(self, entries: list[Entry], waits: list[Wait]) -> list[Entry] | None:
        """Appends entries and waits in one commit.

        None: the item is suspended. Otherwise the turn continues, with the entries of waits that are
        satisfied already.
        """


def quote(kind: str, identity: str) -> str:
    """`step "charge"`."""
    return f'{kind} "{identity}"'


def error_of(entry: Entry) -> Exception:
    """The exception that an entry with an error raises in the function."""
    identity, error = entry["identity"], entry["error"]
    message, error_class = error.get("message"), error.get("class")
    if entry["kind"] == "step":
        return StepError(
            message or "the step failed",
            step=identity,
            error_class=error_class or "Error",
            attempts=entry.get("attempts") or 1,
        )
    if entry["kind"] == "child":
        return ChildError(
            message or "the child execution failed",
            call=identity,
            error_class=error_class or "child_failed",
        )
    return WaitTimeoutError(f"{identity}: {message or 'nothing came in time'}", wait=identity)
