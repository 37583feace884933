"""Threads for the code of tools, steps and functions.

They are daemons, unlike those of `concurrent.futures`, so code that never returns does not keep a
stopped worker from exiting.
"""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Threads:
    """Runs calls on threads that are used again. As many run as there are calls at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._idle = 0
        self._count = 0
        self._lock = threading.Lock()

    def call(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Calls the function with the context variables of the caller."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()

        def job() -> None:
            try:
                result = context.run(function)
            except BaseException as error:
                _tell(loop, _reject, future, error)
            else:
                _tell(loop, _resolve, future, result)

        self._submit(job)
        return future

    def close(self) -> None:
        """Ends the threads, each after its call."""
        for _ in range(self._count):
            self._jobs.put(None)

    def _submit(self, job: Callable[[], None]) -> None:
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                self._count += 1
                name = f"{self._name}-{self._count}"
                threading.Thread(target=self._work, name=name, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
            with self._lock:
                self._idle += 1


def _tell(loop: asyncio.AbstractEventLoop, callback: Callable[..., None], *args: object) -> None:
    try:
        loop.call_soon_threadsafe(callback, *args)
    except RuntimeError:
        # The loop is closed: nobody waits for the outcome.
        return


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _reject(future: asyncio.Future[T], error: BaseException) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        wrapped = RuntimeError("the code raised StopIteration")
        wrapped.__cause__ = error
        future.set_exception(wrapped)
    else:
        future.set_exception(error)
