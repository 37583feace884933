"""A worker claims as many items as it has room for, with one long poll, and works on them side by side.

Each item ends in one of these ways: complete, continue, fail, suspend, release, or, after a lost
lease, none of them. Stopping ends the claims at once. Items under way may finish until the deadline,
and the worker then releases the rest.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal as signals
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import httpx

from .._environment import TokenSource, read_address
from .._logging import Adapter
from .._signal import Signal
from .._threads import Threads
from ..errors import Cancelled, WorkerRefusedError
from ..functions.define import Decorator, Function, FunctionOptions, function
from .claims import Claim, Claims
from .heartbeats import Heartbeats
from .http import Answer, Api, NoAnswer, RetryLog, back_off, refusal
from .item import WorkItem, is_of_plain_runtime, read_items
from .lease import Lease
from .reports import Carry, Reports
from .run_function import run_function
from .settle import Held, release
from .tool import Tool, run_tool, tool

P = ParamSpec("P")
R = TypeVar("R")

_WAIT_S = 20.0
_ITEMS_MAX = 100
_NAMES_MAX = 100
_BUILD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")


class Worker:
    """Does the work of tools and durable functions.

    >>> worker = Worker()
    >>> @worker.tool("payment.charge")
    ... def charge(order: dict) -> dict:
    ...     return {"charged": order["amount"]}
    >>> worker.run()  # doctest: +SKIP

    Functions run on threads, `async` ones on the event loop. Heartbeats have a thread of their own.

    url: the address of the runtime. Default: SVC_URL, else http://127.0.0.1:7700.
    token: a token with the role `worker`, or a function that is asked before each request. Default:
        SVC_TOKEN.
    tenant: another tenant than the token's, for operators of the tenant `default`.
    concurrency: items at the same time, 1 to 1000.
    queues: named queues to claim from; `default` is the queue of nodes that name none.
    build_id: names the build of this code, for functions with `pinned`.
    worker_id: names this process in leases and events. Default: host, process and a random part.
    register: False: somebody else registers the workflows of the functions.
    stop_seconds: the time in which items under way may finish when the worker stops.
    clock: seconds since 1970, which `ctx.now()` shows; for tests.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        token: TokenSource | None = None,
        tenant: str | None = None,
        tools: Iterable[Tool[Any, Any]] = (),
        functions: Iterable[Function[Any, Any]] = (),
        concurrency: int = 10,
        queues: Iterable[str] | None = None,
        build_id: str | None = None,
        worker_id: str | None = None,
        register: bool = True,
        stop_seconds: float = 25.0,
        logger: logging.Logger | None = None,
        clock: Callable[[], float] = time.time,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        if not 1 <= concurrency <= 1000:
            raise ValueError(f"concurrency must be from 1 to 1000, not {concurrency}")
        if build_id is not None and not _BUILD_ID.fullmatch(build_id):
            raise ValueError(
                f'build_id must be 1 to 64 letters, digits, ".", "+", "_" and "-": {build_id!r}'
            )
        self.address = read_address(url, token, tenant)
        self.worker_id = worker_id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self.concurrency = concurrency
        self.queues = None if queues is None else [*queues]
        self.build_id = build_id
        self.register = register
        self.stop_seconds = stop_seconds
        self.logger = logger or logging.getLogger("svc_sdk.worker")
        self.tools: dict[str, Tool[Any, Any]] = {}
        self.functions: dict[str, Function[Any, Any]] = {}
        self._clock = clock
        self._transport = transport
        self._run: _Run | None = None
        self._starting = threading.Lock()
        self._ready = threading.Event()
        self._is_ready = False
        for one in tools:
            self._add(self.tools, one.name, one)
        for served in functions:
            self._add(self.functions, served.name, served)

    def tool(self, name: str) -> Callable[[Callable[P, R]], Tool[P, R]]:
        """Serves the decorated function as a tool: see `svc_sdk.tool`."""

        def decorate(function: Callable[P, R]) -> Tool[P, R]:
            made = tool(name)(function)
            self._add(self.tools, name, made)
            return made

        return decorate

    def function(self, name: str, **options: Any) -> Decorator:
        """Serves the decorated function as a durable function: see `svc_sdk.function`."""

        def decorate(run: Callable[..., Any]) -> Function[Any, Any]:
            made = function(name, FunctionOptions(**options))(run)
            self._add(self.functions, name, made)
            return made

        return decorate

    def run(self, *, once: bool = False) -> int:
        """Works until SIGTERM, SIGINT or `stop()`. Returns how many items it has worked on.

        once: takes the items that wait now, and returns when a claim gets no more.

        Raises WorkerRefusedError when the runtime refuses the worker, for example for its token. No
        answer is no refusal: the worker tries again.
        """
        return asyncio.run(self.serve(once=once, handle_signals=True))

    async def serve(self, *, once: bool = False, handle_signals: bool = False) -> int:
        """The same as `run`, in your own event loop; signals are yours to handle."""
        with self._starting:
            if self._run is not None:
                raise RuntimeError("the worker runs already")
            try:
                self._check_definitions()
            except ValueError:
                self._ready.set()
                raise
            self._run = _Run(self, self._transport)
            self._ready.clear()
        try:
            with _handled_signals(self._run.begin_stop, enabled=handle_signals):
                return await self._run.work(once)
        finally:
            self._run = None
            self._is_ready = False
            # Wakes who waits.
            self._ready.set()

    def stop(self) -> None:
        """Claims nothing more and finishes the items under way; from any thread.

        After `stop_seconds` the worker stops the rest and gives it back.
        """
        run = self._run
        if run is not None:
            run.begin_stop_from_thread()

    def wait_until_ready(self, timeout: float | None = None) -> bool:
        """Waits, from another thread, until the functions are registered, so that they can be started.

        A worker that registers none is ready as soon as it runs, even if the runtime does not answer
        its claims: its log then says so. False: the time is up, or the worker has ended.
        """
        return self._ready.wait(timeout) and self._is_ready

    def _add(self, all: dict[str, Any], name: str, one: object) -> None:
        if name in all:
            raise ValueError(f"two definitions have the name {name}")
        if len(self.tools) + len(self.functions) >= _NAMES_MAX:
            raise ValueError(f"a worker serves at most {_NAMES_MAX} tools and functions")
        all[name] = one

    def _check_definitions(self) -> None:
        if not self.tools and not self.functions:
            raise ValueError("a worker serves at least one tool or function")
        for one in self.functions.values():
            if one.options.pinned and self.build_id is None:
                raise ValueError(
                    f"the function {one.name} is pinned, so its worker needs a build_id"
                )

    def _claim_facts(self) -> dict[str, Any]:
        queue_types = ["function"] if self.functions else []
        if self.tools:
            queue_types += ["python_tool", "java_tool"]
        facts: dict[str, Any] = {
            "worker_id": self.worker_id,
            "queue_types": queue_types,
            # Only these: the items of other workers stay theirs.
            "tools": [*dict.fromkeys([*self.functions, *self.tools])],
        }
        if self.queues is not None:
            facts["queues"] = self.queues
        if self.build_id is not None:
            facts["build_id"] = self.build_id
        return facts


class _Run:
    """One run of a worker, in one event loop."""

    def __init__(self, worker: Worker, transport: httpx.AsyncBaseTransport | None) -> None:
        self.worker = worker
        self.logger = worker.logger
        self.loop = asyncio.get_running_loop()
        self.api = Api(worker.address, transport)
        self.claims = Claims(self.api, worker._claim_facts(), worker.logger)
        self.heartbeats = Heartbeats(worker.address, worker.worker_id)
        self.threads = Threads("svc-code")
        self.stopping = Signal()
        self.deadline = Signal()
        self.reports = Reports(self.api, worker.worker_id, self._carry_while_claiming)
        self.busy: set[asyncio.Task[None]] = set()
        self.asides: set[asyncio.Task[None]] = set()
        """Claims that are repeated."""
        self.awaited = 0
        """Places for items that claims without an answer may have leased."""
        self.counted = False
        """The runtime counts the worker among those that claim, until the worker says that it stops."""
        self.plain = False
        """The runtime has no such count, as its last answer showed.

        It would lease an item to a claim that says so, and could not take it back.
        """
        self.count = 0
        self.refused: WorkerRefusedError | None = None
        self.carries = True

    async def work(self, once: bool) -> int:
        self.carries = not once
        try:
            await self._register()
            if not self.stopping:
                self.worker._is_ready = True
                self.worker._ready.set()
                self.logger.info(
                    "the worker %s claims at %s", self.worker.worker_id, self.api.address.url
                )
            while not self.stopping:
                if await self._claim_and_begin(0 if once else _WAIT_S) == 0 and once:
                    break
        except WorkerRefusedError:
            # The runtime takes no claim of a worker that it refuses.
            self.counted = False
            raise
        finally:
            self.begin_stop()
            # Nothing else says so if no claim is open, such as when all places are taken.
            await self._leave_if_counted(once)
            # The runtime may have served the claim of a report after that, and counted the worker again.
            await self._leave_if_counted(once)
            self.heartbeats.close()
            self.threads.close()
            await self.api.close()
            self.logger.info("the worker %s has stopped", self.worker.worker_id)
        if self.refused is not None:
            raise self.refused
        return self.count

    async def _leave_if_counted(self, once: bool) -> None:
        """Says that the worker stops where that is news, and finishes what is under way."""
        # Who runs once comes back later: the worker counts as long as others do.
        if self.counted and not once and self.refused is None:
            self._keep(self.asides, self._leave(Claim(1, 0)))
        while self.busy or self.asides:
            await asyncio.wait({*self.busy, *self.asides})

    def begin_stop(self) -> None:
        if self.stopping:
            return
        self.stopping.set(Cancelled("the worker stops"))
        over = Cancelled("the worker stops, and the time for its work is up")
        self.loop.call_later(self.worker.stop_seconds, self.deadline.set, over)

    def begin_stop_from_thread(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self.begin_stop)
        except RuntimeError:
            # The loop is closed: the worker has stopped.
            return

    async def _register(self) -> None:
        """A token of the role worker may not register: the worker serves what others registered."""
        if not self.worker.register:
            return
        refused: list[str] = []
        for one in self.worker.functions.values():
            answer = await self._send_registration(one)
            if answer is None:
                return
            if answer.status == 403:
                refused.append(one.name)
            elif answer.status >= 300 and answer.status != 409:
                raise refusal(answer, self.api.address)
            for warning in answer.body.get("warnings") or []:
                self.logger.warning(
                    "the function %s: %s (at %s)", one.name, warning["message"], warning["pointer"]
                )
        if refused:
            self.logger.warning(
                "the token may not register functions: register them once with a token of the role "
                "developer or operator: %s",
                ", ".join(refused),
            )

    async def _send_registration(self, one: Function[Any, Any]) -> Answer | None:
        retries = RetryLog(self.logger, "cannot register")
        while not self.stopping:
            try:
                return await self.api.send("/workflows", {"ir": one.to_ir()})
            except NoAnswer as error:
                retries.failed(error)
                await self.stopping.wait(max(back_off(retries.failures), error.retry_after))
        return None

    async def _claim_and_begin(self, wait_s: float) -> int:
        free = self.worker.concurrency - len(self.busy) - self.awaited
        if free <= 0:
            await self._until_any_place()
            return -1
        asked = self.loop.time()
        found = await self._claim(Claim(min(free, _ITEMS_MAX), wait_s))
        if found == 0 and self.loop.time() - asked < wait_s / 2:
            # A runtime that knows no `wait_ms` answers at once.
            await self.stopping.wait(back_off(2))
        if found == 0 and self.busy and wait_s == 0:
            await self._until_any_place()
            return -1
        return found

    async def _until_any_place(self) -> None:
        """Or until the worker stops."""
        stop = asyncio.ensure_future(self.stopping.wait())
        try:
            under_way = {*self.busy, *self.asides, stop}
            await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()

    async def _claim(self, claim: Claim) -> int:
        answer = await self.claims.until_answered(claim, self.stopping)
        if answer is None:
            await self._leave(claim)
            return 0
        return self._begin(answer)

    async def _leave(self, claim: Claim) -> None:
        """`claim`: the one that the stop has interrupted, or a new one."""
        self.counted = False
        if not self.plain:
            await self.claims.give_back(claim, self.reports)

    def _carry_while_claiming(self) -> Carry | None:
        return self._carry if self.carries and not self.stopping else None

    async def _carry(self, reports: list[dict[str, Any]], places: int) -> Answer:
        """Sends reports with a claim for the places that they free."""
        claim = Claim(places, 0)
        try:
            answer = await self.claims.send(claim, reports)
        except NoAnswer:
            again = Claim(places, 0, claim.id, repeated=True)
            self._keep(self.asides, self._claim_again(again))
            raise
        if answer.status == 200:
            self._begin(answer)
        return answer

    async def _claim_again(self, claim: Claim) -> None:
        """Claims again what the claim has leased, if anything, as its answer did not come."""
        self.awaited += claim.items_max
        try:
            await self._claim(claim)
        except WorkerRefusedError as error:
            self._refuse(error)
        finally:
            self.awaited -= claim.items_max

    def _begin(self, answer: Answer) -> int:
        """How many items the answer has."""
        self.plain = is_of_plain_runtime(answer.body)
        self.counted = not self.plain
        items = read_items(answer.body)
        for item in items:
            self._keep(self.busy, self._work_on(item))
        return len(items)

    def _keep(self, all: set[asyncio.Task[None]], work: Any) -> None:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        all.add(task)
        task.add_done_callback(all.discard)

    async def _work_on(self, item: WorkItem) -> None:
        """Never raises: what the runtime refuses stops the worker."""
        self.count += 1
        logger = _ItemLogger(self.logger, _facts_of(item))
        lease = Lease(self.heartbeats, item, self.deadline)
        began = self.loop.time()
        try:
            ending = await self._dispatch(item, lease, logger)
            level = logging.WARNING if ending in ("abandoned", "failed") else logging.INFO
            milliseconds = (self.loop.time() - began) * 1000
            logger.log(level, "the item is %s after %.0f ms", ending, milliseconds)
        except WorkerRefusedError as error:
            logger.error("the item is dropped: %s", error)
            self._refuse(error)
        except Exception:
            logger.exception("the item is dropped")
        finally:
            lease.release()

    async def _dispatch(self, item: WorkItem, lease: Lease, logger: _ItemLogger) -> str:
        held = Held(self.api, self.reports, item, lease.lost, logger)
        # A claim that was under way as the worker stopped has brought it.
        if self.stopping:
            return await release(held)
        if item.queue_type == "function":
            served = self.worker.functions.get(item.name)
            if served is None:
                return await release(held)
            return await run_function(served, held, lease, logger, self.threads, self.worker._clock)
        one = self.worker.tools.get(item.name)
        if one is None:
            return await release(held)
        return await run_tool(one, held, lease, logger, self.threads)

    def _refuse(self, error: WorkerRefusedError) -> None:
        """401 and 403 are about the worker; the other answers are about one item."""
        if error.status in (401, 403):
            self.refused = self.refused or error
            self.begin_stop()


class _ItemLogger(Adapter):
    """Puts the ids of the item into each line, and into the record for structured handlers."""

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        facts = dict(self.extra or {})
        kwargs["extra"] = {**facts, **kwargs.get("extra", {})}
        text = " ".join(f"{key}={value}" for key, value in facts.items())
        return f"{msg} [{text}]", kwargs


def _facts_of(item: WorkItem) -> dict[str, object]:
    facts: dict[str, object] = {
        "svc_name": item.name,
        "execution_id": item.execution_id,
        "node_id": item.node_id,
        "attempt": item.attempt,
    }
    return facts if item.queue_type != "function" else {**facts, "turn": item.turn}


class _handled_signals:
    """SIGTERM and SIGINT stop the worker, where this thread may handle signals."""

    def __init__(self, stop: Callable[[], None], *, enabled: bool) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        self._stop = stop
        self._enabled = enabled and is_main
        self._former: dict[signals.Signals, Any] = {}

    def __enter__(self) -> None:
        if not self._enabled:
            return
        loop = asyncio.get_running_loop()
        for one in (signals.SIGTERM, signals.SIGINT):
            self._former[one] = signals.getsignal(one)
            try:
                loop.add_signal_handler(one, self._stop)
            except NotImplementedError:
                # Windows: its loops handle no signals.
                signals.signal(one, lambda *_: loop.call_soon_threadsafe(self._stop))

    def __exit__(self, *_: object) -> None:
        for one, former in self._former.items():
            with suppress(NotImplementedError):
                asyncio.get_running_loop().remove_signal_handler(one)
            signals.signal(one, former)
