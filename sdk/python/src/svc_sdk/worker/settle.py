"""The end of an item.

A request without an answer is sent again with the same fence and key, for as long as the lease is
held. A 409 or a 404 says that nothing is left to do: an earlier try of this request has settled the
item, or somebody else has.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import Any

from .._signal import Signal
from ..errors import LeaseLost
from .http import Answer, Api, refusal
from .item import WorkItem
from .reports import Kind, Reports

Riding = dict[str, Any]
"""Entries of a journal that are recorded in the same commit, and its length before them."""


@dataclass(frozen=True)
class Held:
    api: Api
    reports: Reports
    item: WorkItem
    lost: Signal
    logger: logging.Logger | logging.LoggerAdapter[logging.Logger]


@dataclass(frozen=True)
class Failure:
    message: str
    error_class: str
    final: bool | None = None
    retry_after_ms: int | None = None
    usage: dict[str, Any] | None = None
    """Model usage beside that of the entries."""
    riding: Riding = field(default_factory=dict)
    place_is_claimed: bool = False
    """The runtime has refused another end of the item, which has claimed for its place."""


async def complete(
    held: Held,
    output: dict[str, Any],
    duration_ms: int,
    riding: Riding | None = None,
    usage: dict[str, Any] | None = None,
    labels: dict[str, str] | None = None,
) -> str:
    """Hands the output in; an output that the runtime cannot record fails the item."""
    item = held.item
    members: dict[str, Any] = {
        "execution_id": item.execution_id,
        "node_id": item.node_id,
        "output": output,
        "state_patch": {},
        "duration_ms": duration_ms,
        **_usage_members(usage),
        **(riding or {}),
    }
    if labels:
        members["labels"] = labels
    if item.idempotency_key is not None:
        members["idempotency_key"] = item.idempotency_key
    answer = await post(held, "complete", members)
    if answer is not None and answer.is_invalid:
        is_function = item.queue_type == "function"
        failure = Failure(
            answer.reason,
            "invalid_output",
            final=True if is_function else None,
            usage=usage,
            riding=riding or {},
            place_is_claimed=True,
        )
        tell_refusal(held, failure)
        return await fail(held, failure)
    return _ending(held, answer, "completed")


async def continue_as_new(held: Held, input: dict[str, Any], riding: Riding) -> str:
    """Ends the visit of a function; another one begins with `input`."""
    answer = await post(held, "continue", {"input": input, **riding})
    if answer is not None and answer.is_invalid:
        message = f"the function cannot continue as new: {answer.reason}"
        failure = Failure(
            message, "ContinueAsNewError", final=True, riding=riding, place_is_claimed=True
        )
        tell_refusal(held, failure)
        return await fail(held, failure)
    return _ending(held, answer, "continued")


async def fail(held: Held, failure: Failure) -> str:
    members: dict[str, Any] = {"error": failure.message, "error_class": failure.error_class}
    if failure.final is not None:
        members["final"] = failure.final
    if failure.retry_after_ms is not None:
        members["retry_after_ms"] = failure.retry_after_ms
    members.update(_usage_members(failure.usage))
    members.update(failure.riding)
    answer = await post(held, "fail", members, place_is_claimed=failure.place_is_claimed)
    if answer is None or not answer.is_invalid or not failure.riding.get("entries"):
        return _ending(held, answer, "failed")
    refused = await record_each(held, failure.riding)
    if refused is not None:
        # The refusal of another end is in the log already.
        if not failure.place_is_claimed:
            held.logger.warning("the runtime refuses entries: %s", refused)
        failure = replace(failure, message=f"{failure.message}; {refused}", final=True)
    return await fail(held, replace(failure, riding={}, place_is_claimed=True))


def tell_refusal(held: Held, failure: Failure) -> None:
    """The code of the user has raised nothing, so no other line of the log has the reason."""
    held.logger.warning("the runtime refuses the result: %s", failure.message)


async def record_each(held: Held, riding: Riding) -> str | None:
    """Records entries one by one, so that those the runtime refuses take no others with them.

    Says which ones it refuses, and why; None: none.
    """
    length = riding["expected_length"]
    refused: list[str] = []
    for entry in riding["entries"]:
        answer = await post(held, "steps", {"expected_length": length, "entries": [entry]})
        if answer is not None and answer.status == 200:
            length += 1
        elif answer is not None and (answer.is_invalid or answer.is_conflict):
            refused.append(f'{entry["kind"]} "{entry["identity"]}": {answer.reason}')
        elif answer is None or answer.is_over:
            raise LeaseLost("the lease is lost")
        else:
            raise refusal(answer, held.api.address)
    return f"the journal does not take {', '.join(refused)}" if refused else None


async def release(held: Held) -> str:
    """Gives the item back: it uses no attempt, and another worker may have it."""
    answer = await post(held, "release", {})
    if answer is not None and answer.is_over:
        return "released"
    return _ending(held, answer, "released")


async def post(
    held: Held, kind: Kind, members: dict[str, Any], *, place_is_claimed: bool = False
) -> Answer | None:
    fenced = {"lease_fence": held.item.lease_fence, **members}
    return await held.reports.send_until_answered(
        kind, held.item.id, fenced, held.lost, place_is_claimed=place_is_claimed
    )


def _ending(held: Held, answer: Answer | None, ending: str) -> str:
    if answer is None:
        return "abandoned"
    if answer.status == 200:
        return ending
    if answer.is_over:
        return ending if answer.after_unknown else "settled"
    raise refusal(answer, held.api.address)


def _usage_members(usage: dict[str, Any] | None) -> dict[str, Any]:
    if usage is None:
        return {}
    members = {
        "gen_ai_model": usage.get("model"),
        "gen_ai_input_tokens": usage.get("input_tokens"),
        "gen_ai_output_tokens": usage.get("output_tokens"),
        "gen_ai_cost_usd": usage.get("cost_usd"),
    }
    return {key: value for key, value in members.items() if value is not None}
