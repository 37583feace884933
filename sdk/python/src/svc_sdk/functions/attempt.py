"""One attempt of a step or a rollback: its code, on a thread or on the event loop of the worker."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._signal import Signal
from .._threads import Threads
from ..errors import ExecutionCancelled
from .derive import derive_key
from .scope import current_step
from .usage import UsageSum


@dataclass(frozen=True)
class StepContext:
    """What the code of a step knows about its call."""

    idempotency_key: str
    """The same for every run of the step: pass it to every system that the step changes."""
    attempt: int
    """From 1."""
    cancelled: threading.Event
    """Set when the step must stop. An `async` step also gets `asyncio.CancelledError`."""
    report_usage: Callable[..., None]
    """`report_usage(model=…, input_tokens=…, output_tokens=…, cost_usd=…)`."""


@dataclass(frozen=True)
class TurnTools:
    """What a turn has from its worker."""

    visit_key: str
    stopped: Signal
    logger: logging.LoggerAdapter[logging.Logger]
    threads: Threads
    clock: Callable[[], float] = time.time
    """Seconds since 1970, for `ctx.now()`."""


async def attempt_step(
    tools: TurnTools,
    identity: str,
    run: Callable[..., Any],
    *,
    attempt: int,
    usage: UsageSum,
    timeout_s: float | None = None,
) -> Any:
    """Calls the code once, within its time. Raises the signal's reason when the work must stop."""
    own = Signal(tools.stopped)
    step = StepContext(derive_key(tools.visit_key, identity), attempt, own.event, usage.add)
    calling = asyncio.ensure_future(_call(tools.threads, identity, run, step))
    stopping = asyncio.ensure_future(own.wait())
    try:
        await asyncio.wait(
            {calling, stopping}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED
        )
        if calling.done():
            return calling.result()
        if not own:
            late = TimeoutError(f"the step took longer than {timeout_s:g} s")
            own.set(late)
            raise late
        if type(own.reason) is ExecutionCancelled:
            # What the code has done is recorded, so that its rollback knows of it.
            if inspect.iscoroutinefunction(run):
                calling.cancel()
            await asyncio.wait({calling}, timeout=_CANCEL_S_MAX)
            if calling.done() and not calling.cancelled():
                return calling.result()
        own.raise_if_set()
    finally:
        own.detach()
        stopping.cancel()
        if not calling.done():
            calling.cancel()
            # Its outcome counts for nothing, and must not be reported as lost.
            calling.add_done_callback(lambda one: one.cancelled() or one.exception())


_CANCEL_S_MAX = 10.0
"""Code that ends by then, after its execution is cancelled, has its result recorded."""


async def _call(threads: Threads, identity: str, run: Callable[..., Any], step: StepContext) -> Any:
    current_step.set(identity)
    given = (step,) if takes_step(run) else ()
    if inspect.iscoroutinefunction(run):
        return await run(*given)
    output = await threads.call(lambda: run(*given))
    return await output if inspect.isawaitable(output) else output


def takes_step(run: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(run).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(one.kind in positional and one.default is one.empty for one in parameters)
