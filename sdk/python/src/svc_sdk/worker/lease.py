"""The lease of one item: renewed until it is released, and what stops the work on it."""

from __future__ import annotations

import asyncio

from .._signal import Signal
from ..errors import ExecutionCancelled, LeaseLost
from .heartbeats import Heartbeats
from .item import WorkItem

_GIVE_UP_S = 3.0
"""A runtime has that long to answer about an item after the deadline of the worker."""


class Lease:
    """`lost`: requests about the item are of no use. `stopped`: the work must stop, for any reason."""

    def __init__(self, heartbeats: Heartbeats, item: WorkItem, deadline: Signal) -> None:
        self._heartbeats = heartbeats
        self._loop = asyncio.get_running_loop()
        self._give_up: asyncio.TimerHandle | None = None
        self.lost = Signal()
        self.cancelled = Signal()
        self.stopped = Signal(self.lost, self.cancelled, deadline)
        if item.cancel_requested and item.mode != "rollback":
            self.cancelled.set(_cancelled())
        deadline.on_set(self._start_giving_up)
        self._kept = heartbeats.keep(
            item,
            on_lost=lambda why: self.lost.set_from_thread(LeaseLost(why)),
            on_cancel=lambda: (
                None if item.mode == "rollback" else self.cancelled.set_from_thread(_cancelled())
            ),
        )
        self._deadline = deadline

    def release(self) -> None:
        """Ends the heartbeats."""
        self._heartbeats.release(self._kept)
        self.stopped.detach()
        self._deadline.forget(self._start_giving_up)
        if self._give_up is not None:
            self._give_up.cancel()

    def _start_giving_up(self) -> None:
        gone = LeaseLost("the worker has stopped")
        self._give_up = self._loop.call_later(_GIVE_UP_S, self.lost.set, gone)


def _cancelled() -> ExecutionCancelled:
    return ExecutionCancelled("the execution is being cancelled")
