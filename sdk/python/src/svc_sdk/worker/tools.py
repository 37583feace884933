"""Tools: functions of a program that workflows call by name."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import re
import threading
import typing
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar

from svc_sdk.worker.errors import StoppedError

Function = TypeVar("Function", bound=Callable[..., Any])

_NAME = re.compile(r"[^\s.*?]+(\.[^\s.*?]+)+")
_NAME_LENGTH_MAX = 200


class ToolContext:
    """What a tool may ask about its call: the second parameter of its function, if it has one."""

    def __init__(
        self,
        *,
        idempotency_key: str,
        attempt: int,
        execution_id: str,
        node_id: str,
        work_item_id: str,
        traceparent: str | None,
        logger: logging.LoggerAdapter[logging.Logger],
        stopped: threading.Event,
        reason: Callable[[], StoppedError | None],
    ) -> None:
        self.idempotency_key = idempotency_key
        """Names the step, the same for every attempt: pass it to the systems you change."""
        self.attempt = attempt
        """Counts from 0."""
        self.execution_id = execution_id
        self.node_id = node_id
        self.work_item_id = work_item_id
        self.traceparent = traceparent
        """W3C Trace Context, to be passed on to other systems."""
        self.logger = logger
        """Its records have the execution, the node and the attempt."""
        self._stopped = stopped
        self._reason = reason

    @property
    def is_stopped(self) -> bool:
        """The result is of no use any more: the lease is lost, or the execution is cancelled."""
        return self._stopped.is_set()

    def raise_if_stopped(self) -> None:
        """Raises the `StoppedError` that says why, if the result is of no use any more."""
        if self._stopped.is_set():
            raise self._reason() or StoppedError("the work is of no use any more")

    def sleep(self, seconds: float) -> None:
        """Sleeps in a thread; raises a `StoppedError` as soon as the result is of no use."""
        self._stopped.wait(seconds)
        self.raise_if_stopped()


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    function: Callable[..., Any]
    read_input: Callable[[Any], Any]
    takes_context: bool
    is_async: bool

    async def call(self, given: Any, context: ToolContext) -> Any:
        """Runs an `async` function on the event loop, and every other in a thread of its own."""
        value = self.read_input(given)
        args = (value, context) if self.takes_context else (value,)
        if self.is_async:
            return await self.function(*args)
        return await _in_thread(self.function, args, f"svc-tool-{self.name}")


def tool(name: str) -> Callable[[Function], Tool]:
    """Makes a tool of a function, for `Worker(tools=[…])`.

    `name` is `module.function` or `class.method`, as the node of the workflow names it.
    """

    def decorate(function: Function) -> Tool:
        return make_tool(name, function)

    return decorate


def make_tool(name: str, function: Callable[..., Any]) -> Tool:
    if not _NAME.fullmatch(name) or len(name) > _NAME_LENGTH_MAX:
        raise ValueError(
            f"the name of a tool is module.function, without spaces, * and ?: {name!r}"
        )
    parameters = list(inspect.signature(function).parameters.values())
    positional = [one for one in parameters if one.kind in _POSITIONAL]
    if not 1 <= len(positional) <= 2:
        raise TypeError(f"the tool {name} takes its input, and may take a ToolContext after it")
    return Tool(
        name=name,
        function=function,
        read_input=_reader_of(function, positional[0]),
        takes_context=len(positional) == 2,
        is_async=inspect.iscoroutinefunction(function),
    )


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _reader_of(function: Callable[..., Any], parameter: inspect.Parameter) -> Callable[[Any], Any]:
    """By the annotation of the input: a Pydantic model or a dataclass; else as it came."""
    try:
        kind = typing.get_type_hints(function).get(parameter.name)
    except NameError:
        # An annotation that exists for type checkers only.
        return lambda value: value
    validate = getattr(kind, "model_validate", None)
    if validate is not None:
        return typing.cast("Callable[[Any], Any]", validate)
    if isinstance(kind, type) and is_dataclass(kind):
        return lambda value: kind(**value)
    return lambda value: value


async def _in_thread(function: Callable[..., Any], args: tuple[Any, ...], name: str) -> Any:
    """A thread of its own, which keeps no process alive when the tool never returns."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[Any] = loop.create_future()
    variables = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if result.done():
            return
        if error is None:
            result.set_result(value)
        else:
            result.set_exception(error)

    def run() -> None:
        value: Any = None
        error: BaseException | None = None
        try:
            value = variables.run(function, *args)
        except BaseException as raised:
            error = raised if isinstance(raised, Exception) else RuntimeError(repr(raised))
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await result
