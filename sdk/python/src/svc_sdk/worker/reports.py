"""A worker's calls for its items.

Calls that are made while others are under way gather, and travel together: one request carries up to
100. A call that ends an item frees its place, so the request that carries it also claims an item for
that place.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._signal import Signal
from .http import ANSWER_S_MAX, Answer, Api, NoAnswer, back_off, is_unknown

Kind = Literal["steps", "suspend", "continue", "complete", "fail", "release"]
Carry = Callable[[list[dict[str, Any]], int], Awaitable[Answer]]
"""Sends reports with a claim for as many items; the answer is that of the claim."""

_LANES = 2
"""As many requests are under way before reports wait for each other."""
_REPORTS_MAX = 100
_CHARS_MAX = 256 * 1024
_ENDS_ITEM = frozenset({"continue", "complete", "fail", "release"})


@dataclass(eq=False)
class _Waiting:
    kind: Kind
    item_id: str
    report: dict[str, Any]
    size: int
    frees_place: bool
    answer: asyncio.Future[Answer]


class Reports:
    def __init__(self, api: Api, worker_id: str, carry: Callable[[], Carry | None]) -> None:
        self._api = api
        self._worker_id = worker_id
        self._carry = carry
        self._waiting: list[_Waiting] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._flush_planned = False

    async def send_until_answered(
        self,
        kind: Kind,
        item_id: str,
        members: dict[str, Any],
        lost: Signal,
        *,
        place_is_claimed: bool = False,
    ) -> Answer | None:
        """None when the lease is lost first."""
        failures = 0
        while not lost:
            frees = kind in _ENDS_ITEM and failures == 0 and not place_is_claimed
            try:
                answer = await self._send(kind, item_id, members, frees_place=frees)
                return replace(answer, after_unknown=failures > 0)
            except NoAnswer as error:
                failures += 1
                await lost.wait(max(back_off(failures), error.retry_after))
        return None

    def _send(
        self, kind: Kind, item_id: str, members: dict[str, Any], *, frees_place: bool
    ) -> asyncio.Future[Answer]:
        report = {"kind": kind, "work_item_id": item_id, **members}
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        size = len(json.dumps(report))
        self._waiting.append(_Waiting(kind, item_id, report, size, frees_place, answer))
        self._flush_soon()
        return answer

    def _flush_soon(self) -> None:
        if self._flush_planned or not self._waiting or len(self._under_way) >= _LANES:
            return
        self._flush_planned = True
        # Reports of the same moment travel together.
        asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_planned = False
        while self._waiting and len(self._under_way) < _LANES:
            task = asyncio.create_task(self._exchange(self._take_batch()))
            self._under_way.add(task)
            task.add_done_callback(self._leave_lane)

    def _leave_lane(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._flush_soon()

    def _take_batch(self) -> list[_Waiting]:
        chars = count = 0
        for one in self._waiting:
            chars += one.size
            if count == _REPORTS_MAX or (count > 0 and chars > _CHARS_MAX):
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    async def _exchange(self, batch: list[_Waiting]) -> None:
        try:
            answers = await self._together(batch)
            if answers is None:
                await asyncio.gather(*(self._alone(one) for one in batch))
                return
            for one, answer in zip(batch, answers, strict=True):
                _settle(one, answer)
        except Exception as error:
            for one in batch:
                if not one.answer.done():
                    one.answer.set_exception(error)

    async def _together(self, batch: list[_Waiting]) -> list[Answer] | None:
        """None: the runtime does not take reports that travel together, or not these."""
        reports = [one.report for one in batch]
        places = sum(one.frees_place for one in batch)
        carry = self._carry()
        if carry is not None and places > 0:
            return _results_in(await carry(reports, places), len(batch))
        if len(batch) == 1:
            return None
        body = {"worker_id": self._worker_id, "reports": reports}
        return _results_in(await self._api.send("/work-items/report", body), len(batch))

    async def _alone(self, one: _Waiting) -> None:
        members = {key: one.report[key] for key in one.report if key not in _ENVELOPE}
        body = {"worker_id": self._worker_id, **members}
        path = f"/work-items/{one.item_id}/{one.kind}"
        try:
            _settle(one, await self._api.send(path, body, timeout=ANSWER_S_MAX))
        except Exception as error:
            if not one.answer.done():
                one.answer.set_exception(error)


_ENVELOPE = ("kind", "work_item_id")


def _results_in(answer: Answer, count: int) -> list[Answer] | None:
    results = answer.body.get("results")
    if answer.status != 200 or not isinstance(results, list) or len(results) != count:
        return None
    return [Answer(one.get("status", 500), one.get("body") or {}) for one in results]


def _settle(one: _Waiting, answer: Answer) -> None:
    if one.answer.done():
        return
    if is_unknown(answer.status):
        one.answer.set_exception(NoAnswer(f"the runtime answered {answer.status}"))
    else:
        one.answer.set_result(answer)
