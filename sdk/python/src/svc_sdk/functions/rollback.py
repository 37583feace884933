"""Compensations: what a function registered with `ctx.on_rollback`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ..errors import NonDeterminismError
from .attempt import TurnTools, attempt_step
from .entry_log import EntryLog
from .journal import Entry
from .retry import PAUSE_IN_TURN_MS_MAX, Retry
from .usage import UsageSum

_RETRY = Retry(max_attempts=3)
"""Within a turn; then the item fails, and the policy of the node decides about another attempt."""


class Compensations:
    """Those that the code registered in this turn."""

    def __init__(self) -> None:
        self._all: dict[str, Callable[..., Any]] = {}

    def register(self, identity: str, run: Callable[..., Any]) -> None:
        self._all[identity] = run

    def get(self, identity: str) -> Callable[..., Any] | None:
        return self._all.get(identity)

    def __bool__(self) -> bool:
        return bool(self._all)


@dataclass(frozen=True)
class FailedRollback:
    error: BaseException
    usage: dict[str, Any] | None
    """The model usage of its attempts, which no entry records."""


async def run_rollbacks(
    tools: TurnTools,
    log: EntryLog,
    compensations: Compensations,
    record: Callable[[Entry], Awaitable[object]],
) -> FailedRollback | None:
    """Runs what is recorded as registered and has not run, in reverse order, and records each.

    It leaves out rollbacks that the replay is the first to register, because nothing of them has
    happened. Those registered before a rollback that fails have to wait for it. Raises what the
    journal raised.
    """
    registered = [
        slot.entry["identity"]
        for slot in log.slots
        if slot.is_given and slot.entry["kind"] == "on_rollback"
    ]
    for identity in reversed(registered):
        own = f"rollback/{identity}"
        if own in log:
            continue
        run = compensations.get(identity)
        if run is None:
            recorded = f'on_rollback "{identity}"'
            error = NonDeterminismError(recorded=recorded, asked="no such rollback")
            return FailedRollback(error, None)
        usage = UsageSum()
        try:
            await _run_one(tools, own, run, usage)
        except Exception as error:
            return FailedRollback(error, usage.usage)
        await record({"identity": own, "kind": "rollback", "output": None, **usage.member})
    return None


async def _run_one(
    tools: TurnTools, identity: str, run: Callable[..., Any], usage: UsageSum
) -> None:
    attempt = 0
    while True:
        attempt += 1
        tools.stopped.raise_if_set()
        try:
            await attempt_step(tools, identity, run, attempt=attempt, usage=usage)
            return
        except Exception as error:
            tools.stopped.raise_if_set()
            delay_ms = _RETRY.delay_ms(error, attempt)
            # The item fails, and comes back after a longer pause.
            if delay_ms is None or delay_ms > PAUSE_IN_TURN_MS_MAX:
                raise
            tools.logger.warning(
                "the rollback failed, and is retried: %s, %s", identity, error, exc_info=error
            )
            await tools.stopped.wait(delay_ms / 1000)
