"""A signal that something must stop, for coroutines and for threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable


class Signal:
    """Is set once, with a reason. Threads read or wait on `event`, coroutines await `wait()`.

    `set` is for the thread of the event loop; `set_from_thread` for any other.
    """

    def __init__(self, *parents: Signal) -> None:
        self._loop = asyncio.get_running_loop()
        self._parents = parents
        self._waiters: set[asyncio.Future[None]] = set()
        self._callbacks: list[Callable[[], None]] = []
        self.event = threading.Event()
        self.reason: BaseException | None = None
        for parent in parents:
            parent.on_set(self._follow)

    def __bool__(self) -> bool:
        return self.reason is not None

    def set(self, reason: BaseException) -> None:
        if self.reason is not None:
            return
        self.reason = reason
        self.event.set()
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        for callback in [*self._callbacks]:
            callback()

    def set_from_thread(self, reason: BaseException) -> None:
        try:
            self._loop.call_soon_threadsafe(self.set, reason)
        except RuntimeError:
            # The loop is closed: nobody is left to stop.
            return

    def on_set(self, callback: Callable[[], None]) -> None:
        """Calls back when it is set; at once if it is already."""
        if self:
            callback()
        else:
            self._callbacks.append(callback)

    def detach(self) -> None:
        """Leaves its parents, which live longer."""
        for parent in self._parents:
            parent.forget(self._follow)

    def forget(self, callback: Callable[[], None]) -> None:
        if callback in self._callbacks:
            self._callbacks.remove(callback)

    async def wait(self, timeout: float | None = None) -> bool:
        """True once it is set, False after `timeout` seconds."""
        if self:
            return True
        waiter = self._loop.create_future()
        self._waiters.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=timeout)
            return bool(self)
        finally:
            self._waiters.discard(waiter)
            waiter.cancel()

    def raise_if_set(self) -> None:
        if self.reason is not None:
            raise self.reason

    def _follow(self) -> None:
        for parent in self._parents:
            if parent.reason is not None:
                self.set(parent.reason)
