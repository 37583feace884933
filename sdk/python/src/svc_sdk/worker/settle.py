"""The end of an item.

A request without an answer is sent again with the same fence and key, as long as the lease is
held. A 409 or a 404 says that nothing is left to do: the item is settled, by an earlier try or by
somebody else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from svc_sdk.worker.api import Answer
from svc_sdk.worker.errors import WorkerRefusedError
from svc_sdk.worker.items import Item
from svc_sdk.worker.lease import Lease
from svc_sdk.worker.reports import Report, Reports

Ending = Literal["completed", "failed", "released", "abandoned", "settled"]


@dataclass(frozen=True, slots=True)
class Held:
    reports: Reports
    item: Item
    lease: Lease

    async def complete(self, output: dict[str, Any], duration_ms: int) -> Ending:
        """An output that the runtime cannot record fails the item."""
        item = self.item
        members: dict[str, Any] = {
            "execution_id": item.execution_id,
            "node_id": item.node_id,
            "output": output,
            "state_patch": {},
            "duration_ms": duration_ms,
        }
        if item.idempotency_key is not None:
            members["idempotency_key"] = item.idempotency_key
        answer = await self._post("complete", members)
        if answer is not None and answer.status in (400, 413, 422):
            failure = Failure(answer.reason(), "invalid_output", follows_refusal=True)
            return await self.fail(failure)
        return _ending(answer, "completed")

    async def fail(self, failure: Failure) -> Ending:
        members: dict[str, Any] = {"error": failure.message, "error_class": failure.error_class}
        if failure.is_final:
            members["final"] = True
        if failure.retry_after_ms is not None:
            members["retry_after_ms"] = failure.retry_after_ms
        answer = await self._post("fail", members, place_is_claimed=failure.follows_refusal)
        return _ending(answer, "failed")

    async def release(self) -> Ending:
        """Gives the item back: it uses no attempt, and another worker may have it."""
        answer = await self._post("release", {})
        ending = _ending(answer, "released")
        return "released" if ending == "settled" else ending

    async def _post(
        self, kind: str, members: dict[str, Any], *, place_is_claimed: bool = False
    ) -> Answer | None:
        fenced = {"lease_fence": self.item.lease_fence, **members}
        report = Report(kind, self.item.id, fenced, place_is_claimed)
        return await self.reports.send_until_answered(report, self.lease.lost)


@dataclass(frozen=True, slots=True)
class Failure:
    message: str
    error_class: str
    retry_after_ms: int | None = None
    is_final: bool = False
    """No attempt follows, even if the policy of the node allows one."""
    follows_refusal: bool = False
    """The runtime has refused another end of the item, whose request claimed for its place."""


def _ending(answer: Answer | None, wanted: Ending) -> Ending:
    if answer is None:
        return "abandoned"
    if answer.status == 200:
        return wanted
    if answer.status in (404, 409):
        return wanted if answer.after_unknown else "settled"
    raise refusal(answer)


def refusal(answer: Answer) -> WorkerRefusedError:
    message = f"the runtime refuses the worker ({answer.status}): {answer.reason()}"
    return WorkerRefusedError(answer.status, message)
