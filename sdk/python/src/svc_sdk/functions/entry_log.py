"""The journal as a turn sees it.

Recorded entries, and behind them the new ones in the order in which they will be recorded. The code
gets its results in this order, live and in a replay. That makes the winner of a race, and every other
order of events, the same in each turn.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from ..errors import FunctionLimitError, NonDeterminismError
from .journal import ENTRIES_AT_ONCE_MAX, ENTRIES_MAX, Entry, Exceeded, Journal, quote

_ANSWERED_AT_ONCE = frozenset({"value", "version", "labels", "on_rollback", "rollback"})
_LEFT_OUT = frozenset({"version", "labels", "rollback"})


@dataclass(eq=False)
class Slot:
    entry: Entry
    is_given: bool
    """Recorded before the code asked: by an earlier turn, or by the runtime."""
    is_eager: bool
    """The code may see it before it is recorded."""
    is_derived: bool
    """Lost, it would come out the same."""
    is_recorded: bool
    is_asked: bool


class EntryLog:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.slots: list[Slot] = []
        self._by_identity: dict[str, Slot] = {}
        self._asked: set[str] = set()
        self._cursor = 0
        self._given_end = 0
        self._recorded_end = 0
        self._flushing: asyncio.Task[None] | None = None
        self.exceeded: Exceeded | None = None
        """The budget that usage exceeded in this turn."""
        self._give(journal.entries)

    @property
    def is_replaying(self) -> bool:
        """Whether the code still goes over what earlier turns did."""
        self._pass()
        return self._cursor < self._given_end

    @property
    def next(self) -> Slot | None:
        """The entry that comes next; None when the code has seen all."""
        self._pass()
        return self.slots[self._cursor] if self._cursor < len(self.slots) else None

    @property
    def unrecorded(self) -> list[Entry]:
        return [slot.entry for slot in self.slots[self._recorded_end :]]

    @property
    def never_asked(self) -> list[Entry]:
        """Given entries that the code never asked for."""
        return [
            slot.entry
            for slot in self.slots
            if slot.is_given and not slot.is_asked and not is_left_out(slot.entry)
        ]

    def take_next(self) -> None:
        self._cursor += 1

    def __contains__(self, identity: str) -> bool:
        return identity in self._by_identity

    def ask(self, identity: str, kind: str) -> Entry | None:
        """What is recorded under an identity. Raises NonDeterminismError for another kind."""
        self._asked.add(identity)
        slot = self._by_identity.get(identity)
        if slot is None:
            return None
        if slot.entry["kind"] != kind:
            recorded = quote(slot.entry["kind"], identity)
            raise NonDeterminismError(recorded=recorded, asked=quote(kind, identity))
        slot.is_asked = True
        return slot.entry

    def append(self, entry: Entry, *, is_eager: bool, is_derived: bool = False) -> None:
        """Raises FunctionLimitError when the journal is full."""
        if len(self.slots) >= ENTRIES_MAX:
            raise FunctionLimitError(
                f"a visit of a function has at most {ENTRIES_MAX} entries; "
                "call ctx.continue_as_new() before it has so many"
            )
        self._add(Slot(entry, False, is_eager, is_derived, is_recorded=False, is_asked=True))

    async def flush(self) -> None:
        """Records all new entries."""
        if self._recorded_end == len(self.slots):
            return
        if self._flushing is None:
            self._flushing = asyncio.ensure_future(self._record_all())
        await asyncio.shield(self._flushing)

    async def flush_seen(self) -> None:
        """Records what the code has seen, unless it would come out the same after a crash."""
        if any(not slot.is_derived for slot in self.slots[self._recorded_end :]):
            await self.flush()

    async def when_flushed(self) -> None:
        if self._flushing is not None:
            await asyncio.shield(self._flushing)

    def resume(self, entries: list[Entry]) -> None:
        """Takes over what a suspend recorded: all new entries, then those of the runtime."""
        self._mark_recorded(len(self.slots))
        self._give(entries)

    async def _record_all(self) -> None:
        try:
            while self._recorded_end < len(self.slots):
                batch = self.unrecorded[:ENTRIES_AT_ONCE_MAX]
                self.exceeded = await self._journal.record(batch) or self.exceeded
                self._mark_recorded(self._recorded_end + len(batch))
        finally:
            self._flushing = None

    def _mark_recorded(self, end: int) -> None:
        for slot in self.slots[self._recorded_end : end]:
            slot.is_recorded = True
        self._recorded_end = end

    def _give(self, entries: list[Entry]) -> None:
        for entry in entries:
            is_asked = entry["identity"] in self._asked
            self._add(Slot(entry, True, False, False, is_recorded=True, is_asked=is_asked))
        self._recorded_end = self._given_end = len(self.slots)

    def _add(self, slot: Slot) -> None:
        self.slots.append(slot)
        self._by_identity[slot.entry["identity"]] = slot

    def _pass(self) -> None:
        """Passes what the call itself has answered."""
        while self._cursor < len(self.slots):
            slot = self.slots[self._cursor]
            if not slot.is_asked or slot.entry["kind"] not in _ANSWERED_AT_ONCE:
                return
            self._cursor += 1


def is_left_out(entry: Entry) -> bool:
    """Whether the code may leave out asking for the entry.

    You may delete a `ctx.version` that all executions have passed, and a `ctx.set_labels`.
    Rollbacks run in a turn of their own.
    """
    return entry["kind"] in _LEFT_OUT
