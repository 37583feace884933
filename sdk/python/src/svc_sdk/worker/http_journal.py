"""The journal over HTTP.

Each request names the length that the journal has, so a request that arrived twice appends once. A
suspend whose answer is lost is looked up: if the lease is over, it arrived.
"""

from __future__ import annotations

from typing import Any

from ..errors import LeaseLost
from ..functions.journal import Entry, Exceeded, Wait
from .http import Answer, refusal
from .reports import Kind
from .settle import Held, Riding, post, record_each

_PAGE_ENTRIES = 200


class JournalRefusedError(Exception):
    """The runtime refuses the entries: too many, too large, or in conflict with the journal."""

    def __init__(self, message: str, *, is_final: bool) -> None:
        super().__init__(message)
        self.is_final = is_final
        """Sent again, they would be refused again."""


class HttpJournal:
    def __init__(self, held: Held, entries: list[Entry]) -> None:
        self._held = held
        self.entries = entries
        self._length = len(entries)

    @classmethod
    async def open(cls, held: Held) -> HttpJournal:
        """Reads the whole journal of an item. Raises LeaseLost when the lease is over."""
        entries = [*held.item.journal]
        if held.item.journal_next is not None:
            rest = await _read_from(held, held.item.journal_next)
            if rest is None:
                raise LeaseLost("the lease ended while the journal was read")
            entries += rest
        return cls(held, entries)

    def riding(self, entries: list[Entry]) -> Riding:
        """For the request that ends the item."""
        return {"expected_length": self._length, "entries": entries}

    async def record(self, entries: list[Entry]) -> Exceeded | None:
        answer = await self._post("steps", self.riding(entries))
        if answer.status != 200:
            raise await self._refuse(answer, entries)
        self._length += len(entries)
        exceeded = answer.body.get("budget_exceeded")
        return exceeded if isinstance(exceeded, dict) else None

    async def suspend(self, entries: list[Entry], waits: list[Wait]) -> list[Entry] | None:
        answer = await self._post("suspend", {**self.riding(entries), "waits": waits})
        recorded = self._length + len(entries)
        if answer.status != 200:
            if not (answer.after_unknown and answer.is_over):
                raise await self._refuse(answer, entries)
            return await self._look_up(recorded)
        if answer.body.get("suspended") is True:
            return None
        given: list[Entry] = answer.body.get("entries") or []
        self._length = recorded + len(given)
        return given

    async def _look_up(self, recorded: int) -> list[Entry] | None:
        rest = await _read_from(self._held, recorded)
        if rest is None:
            return None
        if not rest:
            raise JournalRefusedError("the journal did not grow", is_final=False)
        self._length = recorded + len(rest)
        return rest

    async def _post(self, kind: Kind, members: dict[str, Any]) -> Answer:
        answer = await post(self._held, kind, members)
        if answer is None:
            raise LeaseLost("the lease is lost")
        return answer

    async def _refuse(self, answer: Answer, entries: list[Entry]) -> Exception:
        """Records the entries that the runtime accepts, because they have happened."""
        each = await record_each(self._held, self.riding(entries)) if answer.is_invalid else None
        return self._refused(answer) if each is None else JournalRefusedError(each, is_final=True)

    def _refused(self, answer: Answer) -> Exception:
        if answer.status in (401, 403):
            return refusal(answer, self._held.api.address)
        message = f"the journal does not take the entries: {answer.reason}"
        if answer.is_conflict:
            return JournalRefusedError(message, is_final=False)
        if answer.is_over:
            return LeaseLost(answer.reason)
        return JournalRefusedError(message, is_final=True)


async def _read_from(held: Held, start: int) -> list[Entry] | None:
    """None when the lease is over."""
    entries: list[Entry] = []
    next: int | None = start
    while next is not None:
        query = f"from={next}&limit={_PAGE_ENTRIES}&lease_fence={held.item.lease_fence}"
        path = f"/work-items/{held.item.id}/journal?{query}"
        answer = await held.api.send_until_answered(path, held.lost, method="GET")
        if answer is None or answer.is_over:
            return None
        if answer.status != 200:
            raise refusal(answer, held.api.address)
        entries += answer.body.get("entries") or []
        found = answer.body.get("next")
        next = found if isinstance(found, int) else None
    return entries
