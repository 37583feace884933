"""Steps.

A step runs when nothing is recorded under its identity. It is tried again within the turn while the
pauses are short. A longer pause is recorded as `NAME/retry[1]`, a value with the attempts so far, and
waited for as the timer `NAME/back-off[1]`, so a later turn forgets neither the attempts nor the
pause. That value carries the model usage of its attempts, and the entry of the step that of the later.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from .._json import to_json
from ..errors import describe_error
from .attempt import TurnTools, attempt_step
from .journal import Entry
from .retry import PAUSE_IN_TURN_MS_MAX, Retry
from .scope import Scope
from .turn import Ask, Turn, Work
from .usage import UsageSum


@dataclass(frozen=True)
class StepCall:
    identity: str
    scope: Scope
    run: Callable[..., Any]
    retry: Retry
    timeout_s: float | None
    is_eager: bool
    """It is recorded with the next entry that must be."""


@dataclass(frozen=True)
class Ended:
    entry: Entry


@dataclass(frozen=True)
class Pending:
    """The step is tried again after a long pause."""

    attempts: int
    delay_ms: int
    usage: UsageSum


BLOCKED = "blocked"
"""A budget allows no further step."""


def begin_step(
    turn: Turn, tools: TurnTools, call: StepCall, round: int = 1, before: int = 0
) -> None:
    """Sees that the step runs as often as it takes, from its `round`, after `before` attempts."""
    marker = turn.find(f"{call.identity}/retry[{round}]", "value")
    if marker is not None:
        pending = marker["output"]
        _pause(turn, tools, call, round, pending["attempts"], pending["delay_ms"])
    elif call.identity not in turn.log:
        turn.add_work(
            Work(
                call.scope,
                run=lambda: _try_step(turn, tools, call, before),
                finish=lambda outcome: _finish(turn, tools, call, round, outcome),
            )
        )


def _finish(turn: Turn, tools: TurnTools, call: StepCall, round: int, outcome: Any) -> None:
    if outcome == BLOCKED:
        turn.block(call.identity)
    elif isinstance(outcome, Ended):
        if call.is_eager:
            turn.note(outcome.entry)
        else:
            turn.record(outcome.entry)
    elif isinstance(outcome, Pending):
        output = {"attempts": outcome.attempts, "delay_ms": outcome.delay_ms}
        identity = f"{call.identity}/retry[{round}]"
        # Asked for, so that the code passes it.
        turn.find(identity, "value")
        turn.note({"identity": identity, "kind": "value", "output": output, **outcome.usage.member})
        _pause(turn, tools, call, round, outcome.attempts, outcome.delay_ms)


def _pause(
    turn: Turn, tools: TurnTools, call: StepCall, round: int, attempts: int, delay_ms: int
) -> None:
    identity = f"{call.identity}/back-off[{round}]"
    turn.ask(
        Ask(
            identity,
            "timer",
            call.scope,
            deliver=lambda _: begin_step(turn, tools, call, round + 1, attempts),
            reject=lambda _: None,
            wait=lambda: {"identity": identity, "kind": "timer", "delay_ms": delay_ms},
        )
    )


async def _try_step(
    turn: Turn, tools: TurnTools, call: StepCall, before: int
) -> Ended | Pending | str | None:
    """None when nobody wants the result, or another turn must run the step."""
    if not call.is_eager:
        await turn.log.flush_seen()
    if turn.log.exceeded is not None:
        return BLOCKED
    began, began_at = time.monotonic(), datetime.now(timezone.utc)
    usage = UsageSum()

    def ended(attempts: int, **result: Any) -> Ended:
        entry = {
            "identity": call.identity,
            "kind": "step",
            **result,
            "attempts": attempts,
            "started_at": began_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "duration_ms": round((time.monotonic() - began) * 1000),
            **usage.member,
        }
        return Ended(entry)

    attempt = before
    while True:
        attempt += 1
        try:
            output = await attempt_step(
                tools,
                call.identity,
                call.run,
                attempt=attempt,
                usage=usage,
                timeout_s=call.timeout_s,
            )
            return ended(attempt, output=to_json(output, "output"))
        except Exception as error:
            # Stopped, it says nothing about the step: another turn runs it again, under the same key.
            if tools.stopped or call.scope.is_abandoned:
                return None
            message, error_class = describe_error(error)
            delay_ms = call.retry.delay_ms(error, attempt)
            retried = "the step failed" if delay_ms is None else "the step failed, and is retried"
            tools.logger.warning("%s: step %s, %s", retried, call.identity, message, exc_info=error)
            if delay_ms is None:
                return ended(attempt, error={"message": message, "class": error_class})
            if delay_ms > PAUSE_IN_TURN_MS_MAX:
                return Pending(attempt, round(delay_ms), usage)
            if await tools.stopped.wait(delay_ms / 1000):
                return None
