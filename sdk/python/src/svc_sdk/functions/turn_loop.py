"""The event loop in which the code of a durable function runs.

It runs what is ready, in order, and nothing else: it has no clock and no sockets. So the code comes
out the same in each turn, also with `asyncio.gather` and tasks of its own, and the turn knows when
the code has nothing left to do. What would wait for the outside world is refused with advice.
"""

from __future__ import annotations

import asyncio
import contextvars

# For implementations of event loops, as the documentation of asyncio says.
from asyncio.events import _get_running_loop, _set_running_loop
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn


class TurnLoop(asyncio.AbstractEventLoop):
    def __init__(self) -> None:
        self._ready: deque[asyncio.Handle] = deque()
        self._tasks: list[asyncio.Task[Any]] = []

    @property
    def has_work(self) -> bool:
        return bool(self._ready)

    def run_ready(self) -> None:
        """Runs the code until it only waits. The caller's own loop, if any, is put back after it."""
        former = _get_running_loop()
        _set_running_loop(self)
        try:
            while self._ready:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            _set_running_loop(former)

    def discard(self) -> None:
        """Ends the code that is left."""
        for task in self._tasks:
            task.cancel()
        self.run_ready()
        for task in self._tasks:
            # Code that does not end when it is cancelled is left alone.
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            if task.done() and not task.cancelled():
                task.exception()

    def call_soon(  # type: ignore[override]
        self,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Any,
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
        **_: Any,
    ) -> asyncio.Task[Any]:
        if context is not None:
            # `Task` takes a context from Python 3.11 on.
            task: asyncio.Task[Any] = context.run(asyncio.Task, coro, loop=self, name=name)
        else:
            task = asyncio.Task(coro, loop=self, name=name)
        self._tasks.append(task)
        return task

    def get_task_factory(self) -> None:
        """anyio asks for it, before it makes a task."""

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Errors of tasks that nobody awaits say nothing about the function."""

    def time(self) -> NoReturn:
        _refuse("A timer")

    def call_later(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        _refuse("A timer")

    def call_at(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        _refuse("A timer")

    def run_in_executor(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        _refuse("A thread")

    def call_soon_threadsafe(self, *_: Any, **__: Any) -> NoReturn:  # type: ignore[override]
        _refuse("Another thread")

    def create_connection(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("A connection")

    def getaddrinfo(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("A connection")


def _refuse(what: str) -> NoReturn:
    raise RuntimeError(
        f"{what} is not for the code of a durable function: a replay would not come out the same. "
        "Use ctx.sleep() for time, and put everything else into ctx.step()."
    )
