"""Claims: a claim whose answer is lost is repeated under its id, so no attempt is used."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

from .._signal import Signal
from ..errors import WorkerRefusedError
from .http import Answer, Api, NoAnswer, RetryLog, back_off, refusal
from .item import read_items
from .reports import Reports
from .settle import Held, release

_ANSWER_S_MAX = 10.0
_GIVE_BACK_S_MAX = 2.0
"""A runtime that does not answer in that time takes the items back when their leases end."""


@dataclass(frozen=True)
class Claim:
    items_max: int
    wait_s: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    repeated: bool = False
    last: bool = False
    """The worker stops."""


class Claims:
    def __init__(self, api: Api, facts: dict[str, Any], logger: logging.Logger) -> None:
        """`facts`: the members of every claim, which name the worker and its tools."""
        self._api = api
        self._facts = facts
        self._logger = logger

    async def send(self, claim: Claim, reports: list[dict[str, Any]] | None = None) -> Answer:
        """Claims once; raises NoAnswer when the runtime may have leased items to the claim."""
        body = {
            **self._facts,
            "wait_ms": round(claim.wait_s * 1000),
            "max_items": claim.items_max,
            "claim_id": claim.id,
        }
        if claim.repeated:
            body["repeated"] = True
        if claim.last:
            body["last"] = True
        if reports is not None:
            del body["wait_ms"]
            body["reports"] = reports
        return await self._api.send("/work-items/claim", body, timeout=claim.wait_s + _ANSWER_S_MAX)

    async def until_answered(self, claim: Claim, stopping: Signal) -> Answer | None:
        """None when the signal is set first: the runtime may have leased items to the claim."""
        retries = RetryLog(self._logger, "cannot claim")
        while not stopping:
            asked = claim
            if retries.failures > 0:
                # The answer comes at once, so that the log says when the runtime is back.
                asked = replace(claim, repeated=True, wait_s=0)
            try:
                answer = await _unless(stopping, self.send(asked))
            except NoAnswer as error:
                retries.failed(error)
                await stopping.wait(max(back_off(retries.failures), error.retry_after))
                continue
            if answer is None:
                break
            if answer.status != 200:
                raise refusal(answer, self._api.address)
            if retries.failures > 0:
                self._logger.info("the runtime answers again")
            return answer
        return None

    async def give_back(self, claim: Claim, reports: Reports) -> None:
        """Says that the worker stops: from then on it no longer counts among those that claim.

        Releases what the runtime has leased to a claim whose answer nobody waited for. An older
        runtime may answer with one new item, which goes back too.
        """
        over = Signal()
        timer = asyncio.get_running_loop().call_later(
            _GIVE_BACK_S_MAX, over.set, TimeoutError("the runtime does not answer")
        )
        try:
            again = replace(claim, wait_s=0, items_max=1, repeated=True, last=True)
            answer = await self.until_answered(again, over)
            items = [] if answer is None else read_items(answer.body)
            held = (Held(self._api, reports, item, over, self._logger) for item in items)
            await asyncio.gather(*(release(one) for one in held), return_exceptions=True)
        except WorkerRefusedError:
            # A runtime that refuses the claim has leased nothing to this worker.
            return
        finally:
            timer.cancel()


async def _unless(stopping: Signal, sending: Any) -> Answer | None:
    """The answer; None when the signal is set first. Then the connection is closed."""
    task: asyncio.Task[Answer] = asyncio.ensure_future(sending)
    stop = asyncio.ensure_future(stopping.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        return None
    finally:
        stop.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
