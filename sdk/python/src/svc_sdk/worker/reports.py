"""A worker's calls for its items.

Calls that are made while others are under way gather and travel together, up to 100 in a request. A
call that ends an item frees a place, so the request that carries it also claims an item for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from svc_sdk.back_off import back_off_seconds
from svc_sdk.json_text import to_json
from svc_sdk.worker.api import ANSWER_SECONDS, Answer, Api, NoAnswerError, is_unknown

LANES = 2
"""As many requests are under way before reports wait for each other."""
SLOW_SECONDS = 0.025
"""A request that takes longer keeps no other report waiting."""
REPORTS_MAX = 100
BYTES_MAX = 256 * 1024
"""Far below the largest body that the runtime takes by default."""

ENDS_ITEM = frozenset({"complete", "fail", "release"})

Carry = Callable[[list[dict[str, Any]], int, float], Awaitable[Answer]]
"""Sends reports with a claim for as many items as places; the answer is that of the claim."""


@dataclass(frozen=True, slots=True)
class Report:
    kind: str
    item_id: str
    members: Mapping[str, Any]
    """With the fence of the lease."""
    place_is_claimed: bool = False
    """A report before this one has claimed for the place of the item."""


@dataclass(slots=True)
class _Waiting:
    report: Report
    size: int
    seconds: float
    frees_place: bool
    answer: asyncio.Future[Answer] = field(default_factory=asyncio.Future)

    def json(self) -> dict[str, Any]:
        return {
            "kind": self.report.kind,
            "work_item_id": self.report.item_id,
            **self.report.members,
        }


class Reports:
    def __init__(self, api: Api, worker_id: str, carry: Callable[[], Carry | None]) -> None:
        """`carry` gives None while the worker does not claim."""
        self._api = api
        self._worker_id = worker_id
        self._carry = carry
        self._waiting: list[_Waiting] = []
        self._lanes = 0
        self._is_flushing = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def send(
        self, report: Report, *, seconds: float = ANSWER_SECONDS, is_repeated: bool = False
    ) -> Answer:
        """Sends once; raises `NoAnswerError` when the outcome is unknown."""
        # Raises here for what is no JSON, so that it spoils no other report.
        size = len(to_json(report.members))
        # The claim of the first try may have got an item for the place.
        frees = not is_repeated and not report.place_is_claimed and report.kind in ENDS_ITEM
        waiting = _Waiting(report, size, seconds, frees)
        self._waiting.append(waiting)
        self._flush_soon()
        return await waiting.answer

    async def send_until_answered(self, report: Report, lost: asyncio.Event) -> Answer | None:
        """None: the lease was lost before there was an answer."""
        failures = 0
        while not lost.is_set():
            try:
                answer = await self.send(report, is_repeated=failures > 0)
                return Answer(answer.status, answer.body, after_unknown=failures > 0)
            except NoAnswerError as error:
                failures += 1
                await rest(max(back_off_seconds(failures), error.retry_after), lost)
        return None

    def _flush_soon(self) -> None:
        if self._is_flushing or not self._waiting or self._lanes >= LANES:
            return
        self._is_flushing = True
        # Reports of the same turn of the loop travel together.
        asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._is_flushing = False
        while self._waiting and self._lanes < LANES:
            task = asyncio.create_task(self._exchange(self._take_batch()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _take_batch(self) -> list[_Waiting]:
        size = count = 0
        for waiting in self._waiting:
            size += waiting.size
            if count == REPORTS_MAX or (count > 0 and size > BYTES_MAX):
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        self._lanes += 1
        return batch

    async def _exchange(self, batch: list[_Waiting]) -> None:
        holds_lane = True

        def leave_lane() -> None:
            nonlocal holds_lane
            if holds_lane:
                holds_lane = False
                self._lanes -= 1
                self._flush_soon()

        slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, leave_lane)
        try:
            answers = await self._together(batch)
            if answers is None:
                await asyncio.gather(*(self._alone(one) for one in batch))
            else:
                for one, answer in zip(batch, answers, strict=True):
                    _settle(one, answer)
        except Exception as error:
            for one in batch:
                _fail(one, error)
        finally:
            slow.cancel()
            leave_lane()

    async def _together(self, batch: list[_Waiting]) -> list[Answer] | None:
        """None: the runtime does not take reports that travel together, or not these."""
        carry = self._carry()
        places = sum(one.frees_place for one in batch)
        seconds = min(one.seconds for one in batch)
        reports = [one.json() for one in batch]
        if carry is not None and places > 0:
            return _results_in(await carry(reports, places, seconds), len(batch))
        if len(batch) == 1:
            return None
        body = {"worker_id": self._worker_id, "reports": reports}
        answer = await self._api.send("/work-items/report", body, seconds=seconds)
        return _results_in(answer, len(batch))

    async def _alone(self, one: _Waiting) -> None:
        """By the endpoint of its kind, so that it gets an answer of its own."""
        path = f"/work-items/{one.report.item_id}/{one.report.kind}"
        body = {"worker_id": self._worker_id, **one.report.members}
        try:
            answer = await self._api.send(path, body, seconds=one.seconds)
        except Exception as error:
            _fail(one, error)
        else:
            _settle(one, answer)


async def rest(seconds: float, until: asyncio.Event) -> None:
    """Returns after so many seconds, or as soon as the event is set."""
    try:
        await asyncio.wait_for(until.wait(), seconds)
    except asyncio.TimeoutError:
        return


def _results_in(answer: Answer, count: int) -> list[Answer] | None:
    results = answer.body.get("results")
    if answer.status != 200 or not isinstance(results, list) or len(results) != count:
        return None
    return [
        Answer(
            status=result.get("status", 500) if isinstance(result, dict) else 500,
            body=result.get("body") or {} if isinstance(result, dict) else {},
        )
        for result in results
    ]


def _settle(one: _Waiting, answer: Answer) -> None:
    if is_unknown(answer.status):
        _fail(one, NoAnswerError(f"the runtime answered {answer.status}"))
    elif not one.answer.done():
        one.answer.set_result(answer)


def _fail(one: _Waiting, error: Exception) -> None:
    # A heartbeat whose item has ended waits no longer.
    if not one.answer.done():
        one.answer.set_exception(error)
