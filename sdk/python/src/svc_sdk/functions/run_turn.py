"""Runs a turn of a function, and says what it came to."""

from __future__ import annotations

from collections.abc import Coroutine
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from .._decode import decode, parameter_types
from .._json import require_object
from ..errors import (
    ChildError,
    Fatal,
    FunctionLimitError,
    NonDeterminismError,
    RetryAfter,
    StepError,
    WaitTimeoutError,
    describe_error,
)
from .attempt import TurnTools
from .context import FunctionContext, ItemFacts, current_function
from .define import Function
from .journal import Entry, Journal, quote
from .rollback import Compensations, run_rollbacks
from .scope import Scope, current_scope
from .turn import End, Turn


@dataclass(frozen=True)
class Outcome:
    """kind: completed, failed, continued, suspended, stopped or rolled-back."""

    kind: str
    entries: list[Entry] = field(default_factory=list)
    """Those that the request to the runtime carries."""
    output: dict[str, Any] = field(default_factory=dict)
    """Of a completion; of a continuation the input of the next visit."""
    error: BaseException | None = None
    usage: dict[str, Any] | None = None
    rolls_back: bool = False
    """A compensation failed: its code runs again in each attempt."""

    @property
    def is_final(self) -> bool:
        """Another attempt would come to the same."""
        if self.rolls_back:
            return isinstance(self.error, Fatal)
        # The journal has the last three: a replay raises them again.
        final = (Fatal, FunctionLimitError, StepError, WaitTimeoutError, ChildError)
        return isinstance(self.error, final)

    @property
    def retry_after_ms(self) -> int | None:
        return self.error.delay_ms() if isinstance(self.error, RetryAfter) else None

    def describe(self) -> tuple[str, str]:
        if self.error is None:
            return ("", "")
        message, error_class = describe_error(self.error)
        if isinstance(self.error, StepError):
            message = f"step {self.error.step}: {message}"
        return (message, error_class)


async def run_turn(
    served: Function[Any, Any],
    *,
    input: Any,
    mode: str,
    journal: Journal,
    facts: ItemFacts,
    tools: TurnTools,
) -> Outcome:
    """Raises what the journal raised: then the turn has no outcome."""
    turn = Turn(journal, tools.stopped, tools.threads, starts_work=mode == "run")
    compensations = Compensations()
    end = await _run_code(served, turn, FunctionContext(turn, tools, facts, compensations), input)
    if end.kind == "stopped":
        return Outcome("stopped", turn.log.unrecorded)
    if mode == "rollback":
        return await _roll_back(turn, tools, compensations, journal)
    if end.kind == "suspended":
        return Outcome("suspended")
    if end.kind == "threw":
        return Outcome("failed", turn.log.unrecorded, error=end.error)
    unasked = _unasked(served, turn, tools)
    if unasked is not None:
        return Outcome("failed", turn.log.unrecorded, error=unasked)
    kind = "continued" if end.kind == "continued" else "completed"
    return Outcome(kind, turn.log.unrecorded, output=end.output)


async def replay_turn(
    served: Function[Any, Any],
    *,
    input: Any,
    journal: Journal,
    facts: ItemFacts,
    tools: TurnTools,
) -> None:
    """Runs the code over recorded entries, as far as they go, and starts nothing new.

    Raises NonDeterminismError when the code asks for something else, or returns before it has asked
    for all of them.
    """
    turn = Turn(journal, tools.stopped, tools.threads, starts_work=False)
    end = await _run_code(served, turn, FunctionContext(turn, tools, facts, Compensations()), input)
    if end.kind == "threw" and isinstance(end.error, NonDeterminismError):
        raise end.error
    if end.kind in ("returned", "threw", "continued"):
        unasked = _unasked(served, turn, tools)
        if unasked is not None:
            raise unasked


async def _run_code(
    served: Function[Any, Any], turn: Turn, ctx: FunctionContext, input: Any
) -> End:
    root = Scope()
    context = copy_context()
    context.run(current_scope.set, root)
    context.run(current_function.set, ctx)
    turn.follow(turn.loop.create_task(_code(served, ctx, input), context=context))
    end = await turn.run()
    root.abandon()
    return end


def _code(
    served: Function[Any, Any], ctx: FunctionContext, input: Any
) -> Coroutine[Any, Any, dict[str, Any]]:
    async def run() -> dict[str, Any]:
        kinds = parameter_types(served.run)
        given = [decode(kinds[1], input)] if len(kinds) > 1 else []
        output = await served.run(ctx, *given)
        return require_object(output, "The output of the function")

    return run()


def _unasked(served: Function[Any, Any], turn: Turn, tools: TurnTools) -> Exception | None:
    """The code ended without asking for a recorded entry."""
    if not turn.log.never_asked:
        return None
    entry = turn.log.never_asked[0]
    recorded = quote(entry["kind"], entry["identity"])
    if served.options.strict:
        return NonDeterminismError(recorded=recorded, asked="nothing more")
    tools.logger.warning("the code did not ask for a recorded entry: %s", recorded)
    return None


async def _roll_back(
    turn: Turn, tools: TurnTools, compensations: Compensations, journal: Journal
) -> Outcome:
    failed = await run_rollbacks(
        tools, turn.log, compensations, lambda entry: journal.record([entry])
    )
    if tools.stopped:
        return Outcome("stopped")
    if failed is None:
        return Outcome("rolled-back")
    return Outcome("failed", error=failed.error, usage=failed.usage, rolls_back=True)
