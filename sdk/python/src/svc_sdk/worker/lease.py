"""The lease of one item, renewed until the item ends or the lease is lost."""

from __future__ import annotations

import asyncio
import threading

from svc_sdk.back_off import back_off_seconds
from svc_sdk.worker.api import NoAnswerError
from svc_sdk.worker.errors import CancelledError, LeaseLostError, ShutdownError, StoppedError
from svc_sdk.worker.items import Item
from svc_sdk.worker.reports import Report, Reports

GIVE_UP_SECONDS = 3.0
"""After the worker's deadline a runtime has that long to answer about the item."""


class Lease:
    """The first heartbeat follows after a whole interval, so that short work needs none.

    Without an answer nothing is known and the work goes on: the runtime takes a lease back only
    when it runs again, and then says so.
    """

    def __init__(self, reports: Reports, item: Item) -> None:
        self._reports = reports
        self._item = item
        self.lost = asyncio.Event()
        """Requests about the item are of no use any more."""
        self.stopped = asyncio.Event()
        """The work must stop, for `reason`."""
        self.flag = threading.Event()
        """The same for threads."""
        self.reason: StoppedError | None = None
        self._renewing = asyncio.create_task(self._renew())
        self._giving_up: asyncio.TimerHandle | None = None
        if item.cancel_requested:
            self._stop(CancelledError("the execution is being cancelled"))

    def reach_deadline(self) -> None:
        """The worker stops, and does not wait for a runtime that does not answer."""
        self._stop(ShutdownError("the worker stops"))
        self._giving_up = asyncio.get_running_loop().call_later(
            GIVE_UP_SECONDS, self._lose, "the worker has stopped"
        )

    def release(self) -> None:
        self._renewing.cancel()
        if self._giving_up is not None:
            self._giving_up.cancel()

    def _stop(self, reason: StoppedError) -> None:
        if self.reason is None:
            self.reason = reason
        self.flag.set()
        self.stopped.set()

    def _lose(self, why: str) -> None:
        self._stop(LeaseLostError(why))
        self.lost.set()

    async def _renew(self) -> None:
        every = self._item.heartbeat_interval
        report = Report("heartbeat", self._item.id, {"lease_fence": self._item.lease_fence})
        failures = 0
        while True:
            await asyncio.sleep(every if failures == 0 else min(back_off_seconds(failures), every))
            try:
                answer = await self._reports.send(report, seconds=every)
            except NoAnswerError:
                failures += 1
                continue
            failures = 0
            if answer.status != 200:
                return self._lose(answer.reason())
            if answer.body.get("cancel_requested") is True:
                self._stop(CancelledError("the execution is being cancelled"))
