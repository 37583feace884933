"""Tools: functions of yours that the nodes of workflows call."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, ParamSpec, TypeVar

from .._decode import decode, parameter_types
from .._json import require_object
from .._labels import LabelSet
from .._threads import Threads
from ..errors import Cancelled, Fatal, RetryAfter, describe_error
from ..functions.usage import UsageSum
from .item import WorkItem
from .lease import Lease
from .settle import Failure, Held, complete, fail, release

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class ToolContext:
    """What a tool knows about its call."""

    execution_id: str
    node_id: str
    work_item_id: str
    attempt: int
    """From 0."""
    idempotency_key: str
    """The same for every attempt: pass it to every system that the call changes."""
    traceparent: str | None
    """The W3C trace context of the step; pass it on to the services that you call."""
    cancelled: threading.Event
    """Set when the work must stop. An `async` tool also gets `asyncio.CancelledError`."""
    logger: logging.LoggerAdapter[logging.Logger]
    report_usage: Callable[..., None]
    """`report_usage(model=…, input_tokens=…, output_tokens=…, cost_usd=…)`; calls add up."""
    _labels: LabelSet = field(default_factory=LabelSet, init=False, repr=False, compare=False)

    def set_labels(self, labels: Mapping[str, str]) -> None:
        """Sets labels of the execution, which go with the output of the tool.

        Later calls replace labels of the same names. The labels of an attempt that fails are lost.
        Raises Fatal for more than 16 labels, and for names and values that no label can have.
        """
        self._labels.set(labels)

    @property
    def labels(self) -> dict[str, str]:
        """The labels that the tool has set so far."""
        return self._labels.labels

    def raise_if_cancelled(self) -> None:
        """Raises Cancelled once the work must stop: for loops in tools without `async`."""
        if self.cancelled.is_set():
            raise Cancelled("the work must stop")


@dataclass(frozen=True)
class Tool(Generic[P, R]):
    """A function under its name as a tool. Calling it calls the function."""

    name: str
    function: Callable[P, R]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)


def tool(name: str) -> Callable[[Callable[P, R]], Tool[P, R]]:
    """Makes a tool, for `Worker(tools=[…])`. `@worker.tool(name)` does both.

    The name is that of the node: `module.function`. The function takes the input of the node, and
    optionally a `ToolContext` behind it. Its annotations say what the input becomes: a dict, a
    dataclass or a Pydantic model. It returns one of them, or None for `{}`.
    """

    def decorate(function: Callable[P, R]) -> Tool[P, R]:
        return Tool(name, function)

    return decorate


async def run_tool(
    one: Tool[Any, Any], held: Held, lease: Lease, logger: Any, threads: Threads
) -> str:
    """Calls the tool of an item and hands in its output or error."""
    began = asyncio.get_running_loop().time()
    usage = UsageSum()
    context = _context_of(held.item, lease, logger, usage)
    calling = asyncio.ensure_future(_call(one, held.item, context, threads))
    stopping = asyncio.ensure_future(lease.stopped.wait())
    await asyncio.wait({calling, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if lease.lost:
        await _let_go(calling)
        return "abandoned"
    if not calling.done():
        # The time of the worker is up: another worker may begin at once.
        await _let_go(calling)
        return await release(held)
    error = calling.exception()
    if error is None:
        duration_ms = round((asyncio.get_running_loop().time() - began) * 1000)
        return await complete(
            held, calling.result(), duration_ms, usage=usage.usage, labels=context.labels
        )
    logger.warning("the tool failed: %s", error, exc_info=error)
    return await fail(held, replace(failure_of(error), usage=usage.usage))


def failure_of(error: BaseException) -> Failure:
    """`Fatal` of the tool's own raising keeps its class; no attempt follows one."""
    message, error_class = describe_error(error)
    return Failure(
        message,
        error_class,
        final=True if isinstance(error, Fatal) else None,
        retry_after_ms=error.delay_ms() if isinstance(error, RetryAfter) else None,
    )


def _context_of(item: WorkItem, lease: Lease, logger: Any, usage: UsageSum) -> ToolContext:
    return ToolContext(
        execution_id=item.execution_id,
        node_id=item.node_id,
        work_item_id=item.id,
        attempt=item.attempt,
        idempotency_key=item.key,
        traceparent=item.traceparent,
        cancelled=lease.stopped.event,
        logger=logger,
        report_usage=usage.add,
    )


async def _call(
    one: Tool[Any, Any], item: WorkItem, context: ToolContext, threads: Threads
) -> dict[str, Any]:
    kinds = parameter_types(one.function)
    given = (decode(kinds[0], item.input), context)[: len(kinds)] if kinds else ()
    if is_async(one.function):
        output = await one.function(*given)
    else:
        output = await threads.call(lambda: one.function(*given))
    if inspect.isawaitable(output):
        output = await output
    return require_object(output, f"The output of the tool {one.name}")


_CANCEL_S_MAX = 5.0


async def _let_go(calling: asyncio.Future[dict[str, Any]]) -> None:
    """Asks the code to stop. A thread cannot be stopped: it ends when its code does."""
    calling.cancel()
    done, _ = await asyncio.wait({calling}, timeout=_CANCEL_S_MAX)
    for one in done:
        if not one.cancelled():
            one.exception()


def is_async(function: Callable[..., object]) -> bool:
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    return inspect.iscoroutinefunction(target)
