"""The worker: claims as many items as it has room for, and works on them side by side."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import socket
import string
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import httpx

from svc_sdk.back_off import back_off_seconds
from svc_sdk.json_text import NotJsonError, to_object
from svc_sdk.settings import Settings, Token
from svc_sdk.worker.api import ANSWER_SECONDS, Answer, Api, NoAnswerError
from svc_sdk.worker.errors import LeaseLostError, RetryAfter, WorkerRefusedError, describe
from svc_sdk.worker.items import Item, read_items
from svc_sdk.worker.lease import Lease
from svc_sdk.worker.reports import Carry, Reports, rest
from svc_sdk.worker.settle import Ending, Failure, Held, refusal
from svc_sdk.worker.tools import Function, Tool, ToolContext, make_tool

WAIT_SECONDS = 20
ITEMS_MAX = 100
TOOLS_MAX = 100
CONCURRENCY_MAX = 1000
GIVE_BACK_SECONDS = 3.0

_log = logging.getLogger("svc_sdk.worker")


class Worker:
    """Serves tools of workflows.

    Without `url` and `token` it reads SVC_URL and SVC_TOKEN. `concurrency` is how many items it
    works on at once. `queues` are named queues to claim from; `default` is the queue of nodes that
    name none.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        token: Token = None,
        tenant: str | None = None,
        tools: Iterable[Tool] = (),
        queues: Iterable[str] | None = None,
        concurrency: int = 10,
        worker_id: str | None = None,
        deadline: float = 30.0,
    ) -> None:
        """`deadline`: seconds that items may take to finish when the worker stops."""
        if not 1 <= concurrency <= CONCURRENCY_MAX:
            raise ValueError(f"concurrency is from 1 to {CONCURRENCY_MAX}: {concurrency}")
        self.settings = Settings.read(url=url, token=token, tenant=tenant)
        self.worker_id = worker_id or _make_worker_id()
        self._queues = None if queues is None else list(queues)
        self._concurrency = concurrency
        self._deadline = deadline
        self._tools: dict[str, Tool] = {}
        self._run: _Run | None = None
        for one in tools:
            self.add(one)

    def tool(self, name: str) -> Callable[[Function], Function]:
        """Serves a function under the name `module.function`, and leaves the function as it is.

        The function takes the input of the node, and may take a `ToolContext` after it. It returns
        an object: a dict, a dataclass, a Pydantic model, or None for an empty one. An `async`
        function runs on the event loop and must not block it; every other gets a thread.
        """

        def decorate(function: Function) -> Function:
            self.add(make_tool(name, function))
            return function

        return decorate

    def add(self, tool: Tool) -> None:
        if tool.name in self._tools:
            raise ValueError(f"two tools have the name {tool.name}")
        self._tools[tool.name] = tool

    def run(self, *, once: bool = False) -> int:
        """Works until SIGTERM or SIGINT, and then finishes the items under way.

        With `once`, it claims once without waiting, and returns when the items are done. Returns
        the number of items. Raises `WorkerRefusedError` when the runtime refuses the worker.
        """
        return asyncio.run(self.run_async(once=once, handles_signals=True))

    async def run_async(self, *, once: bool = False, handles_signals: bool = False) -> int:
        """The same on a loop that runs already."""
        if not 1 <= len(self._tools) <= TOOLS_MAX:
            raise ValueError(f"a worker serves 1 to {TOOLS_MAX} tools: {len(self._tools)}")
        if self._run is not None:
            raise RuntimeError("the worker runs already")
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        async with httpx.AsyncClient(limits=limits) as http:
            run = _Run(
                api=Api(self.settings, http),
                worker_id=self.worker_id,
                tools=dict(self._tools),
                queues=self._queues,
                concurrency=self._concurrency,
                deadline=self._deadline,
            )
            self._run = run
            remove = _on_signals(run.stop) if handles_signals else lambda: None
            try:
                return await (run.work_once() if once else run.work())
            finally:
                remove()
                self._run = None

    def stop(self) -> None:
        """Claims nothing more, and lets `run` return when the items under way are done.

        Safe to call from any thread.
        """
        run = self._run
        if run is not None:
            run.loop.call_soon_threadsafe(run.stop)


class _Run:
    """One run of a worker, on one event loop."""

    def __init__(
        self,
        *,
        api: Api,
        worker_id: str,
        tools: dict[str, Tool],
        queues: list[str] | None,
        concurrency: int,
        deadline: float,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self._api = api
        self._worker_id = worker_id
        self._tools = tools
        self._queues = queues
        self._concurrency = concurrency
        self._deadline = deadline
        self._stopping = asyncio.Event()
        self._is_past_deadline = False
        self._leases: set[Lease] = set()
        self._busy: set[asyncio.Task[None]] = set()
        self._asides: set[asyncio.Task[None]] = set()
        self._awaited = 0
        self._count = 0
        self._claims_on = True
        self._refused: WorkerRefusedError | None = None
        self._reports = Reports(api, worker_id, self._get_carry)

    async def work(self) -> int:
        _log.info("the worker claims from %s", self._api.settings.url, extra=self._names())
        try:
            while not self._stopping.is_set():
                await self._claim_and_begin()
        finally:
            self._stopping.set()
            await self._finish()
        _log.info("the worker has stopped", extra=self._names())
        if self._refused is not None:
            raise self._refused
        return self._count

    async def work_once(self) -> int:
        self._claims_on = False
        try:
            await self._claim(_Claim(min(self._concurrency, ITEMS_MAX), 0))
        finally:
            await self._finish()
        if self._refused is not None:
            raise self._refused
        return self._count

    def stop(self) -> None:
        if self._stopping.is_set():
            return
        self._stopping.set()
        self.loop.call_later(self._deadline, self._reach_deadline)

    def _reach_deadline(self) -> None:
        self._is_past_deadline = True
        for lease in self._leases:
            lease.reach_deadline()

    async def _finish(self) -> None:
        while self._busy or self._asides:
            await asyncio.wait(self._busy | self._asides)

    async def _claim_and_begin(self) -> None:
        free = self._concurrency - len(self._busy) - self._awaited
        if free <= 0:
            await asyncio.wait(self._busy | self._asides, return_when=asyncio.FIRST_COMPLETED)
            return
        await self._claim(_Claim(min(free, ITEMS_MAX), WAIT_SECONDS))

    async def _claim(self, claim: _Claim, *, is_repeated: bool = False) -> None:
        """Claims until there is an answer, or until the worker stops."""
        answer = await self._claim_until_answered(claim, is_repeated=is_repeated)
        if answer is None:
            return await self._give_back(claim)
        self._begin(read_items(answer.body))

    async def _claim_until_answered(self, claim: _Claim, *, is_repeated: bool) -> Answer | None:
        failures = 0
        while not self._stopping.is_set():
            sending = asyncio.ensure_future(
                self._send_claim(claim, is_repeated=is_repeated or failures > 0)
            )
            stopping = asyncio.ensure_future(self._stopping.wait())
            try:
                await asyncio.wait({sending, stopping}, return_when=asyncio.FIRST_COMPLETED)
                if not sending.done():
                    return None
                answer = sending.result()
            except NoAnswerError as error:
                failures += 1
                if failures == 1:
                    _log.warning(
                        "cannot claim from %s, trying again: %s",
                        self._api.settings.url,
                        error,
                        extra=self._names(),
                    )
                await rest(max(back_off_seconds(failures), error.retry_after), self._stopping)
                continue
            finally:
                stopping.cancel()
                sending.cancel()
            if answer.status != 200:
                raise refusal(answer)
            if failures > 0:
                _log.info("the runtime answers again", extra=self._names())
            return answer
        return None

    async def _send_claim(
        self,
        claim: _Claim,
        *,
        is_repeated: bool,
        reports: list[dict[str, Any]] | None = None,
        seconds: float | None = None,
    ) -> Answer:
        body: dict[str, Any] = {
            "worker_id": self._worker_id,
            "queue_types": ["python_tool", "java_tool"],
            "tools": list(self._tools),
            "wait_ms": claim.wait_seconds * 1000,
            "max_items": claim.items_max,
            "claim_id": claim.id,
        }
        if self._queues is not None:
            body["queues"] = self._queues
        if is_repeated:
            body["repeated"] = True
        if reports is not None:
            body["reports"] = reports
        wait = claim.wait_seconds + ANSWER_SECONDS if seconds is None else seconds
        return await self._api.send("/work-items/claim", body, seconds=wait)

    async def _give_back(self, claim: _Claim) -> None:
        """Releases what the runtime has leased to a claim whose answer nobody waited for.

        The runtime keeps such items for the worker that repeats the claim. If there are none, the
        answer may have one new item, which goes back, too.
        """
        again = _Claim(1, 0, claim.id)
        try:
            answer = await asyncio.wait_for(
                self._send_claim(again, is_repeated=True), GIVE_BACK_SECONDS
            )
        except (NoAnswerError, asyncio.TimeoutError):
            return
        for item in read_items(answer.body):
            await self._with_lease(item, lambda held: held.release())

    def _get_carry(self) -> Carry | None:
        return None if self._stopping.is_set() or not self._claims_on else self._carry

    async def _carry(self, reports: list[dict[str, Any]], places: int, seconds: float) -> Answer:
        """Sends reports with a claim for the places that they free."""
        claim = _Claim(places, 0)
        try:
            answer = await self._send_claim(
                claim, is_repeated=False, reports=reports, seconds=seconds
            )
        except NoAnswerError:
            self._keep(self._asides, self._claim_again(claim))
            raise
        if answer.status == 200:
            self._begin(read_items(answer.body))
        return answer

    async def _claim_again(self, claim: _Claim) -> None:
        """Claims again what the claim has leased, if anything, as its answer did not come."""
        self._awaited += claim.items_max
        try:
            await self._claim(claim, is_repeated=True)
        except WorkerRefusedError as error:
            self._refuse(error)
        finally:
            self._awaited -= claim.items_max

    def _begin(self, items: list[Item]) -> None:
        for item in items:
            self._count += 1
            self._keep(self._busy, self._work_on(item))

    async def _work_on(self, item: Item) -> None:
        logger = logging.LoggerAdapter(_log, self._names_of(item))
        began = time.monotonic()
        try:
            ending = await self._with_lease(item, lambda held: self._dispatch(held, logger))
        except WorkerRefusedError as error:
            logger.error("the item is dropped: %s", error)
            self._refuse(error)
            return
        except Exception:
            # Its lease expires, and the runtime hands the item out again.
            logger.exception("the item is dropped")
            return
        level = logging.WARNING if ending in ("abandoned", "failed") else logging.INFO
        logger.log(level, "the item is %s after %d ms", ending, (time.monotonic() - began) * 1000)

    async def _with_lease(
        self, item: Item, work: Callable[[Held], Coroutine[Any, Any, Ending]]
    ) -> Ending:
        lease = Lease(self._reports, item)
        self._leases.add(lease)
        if self._is_past_deadline:
            lease.reach_deadline()
        try:
            return await work(Held(self._reports, item, lease))
        finally:
            self._leases.discard(lease)
            lease.release()

    async def _dispatch(self, held: Held, logger: logging.LoggerAdapter[logging.Logger]) -> Ending:
        tool = self._tools.get(held.item.tool)
        # A claim that was under way as the worker stopped has brought the item.
        if tool is None or self._stopping.is_set():
            return await held.release()
        item, lease = held.item, held.lease
        context = ToolContext(
            idempotency_key=item.idempotency_key or item.id,
            attempt=item.attempt,
            execution_id=item.execution_id,
            node_id=item.node_id,
            work_item_id=item.id,
            traceparent=item.traceparent,
            logger=logger,
            stopped=lease.flag,
            reason=lambda: lease.reason,
        )
        began = time.monotonic()
        calling = asyncio.ensure_future(tool.call(item.payload.get("input"), context))
        stopped = asyncio.ensure_future(lease.stopped.wait())
        try:
            await asyncio.wait({calling, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if isinstance(lease.reason, LeaseLostError):
                return "abandoned"
            if lease.reason is not None and not _has_result(calling):
                # Cancelled, or past the deadline: another worker may have the item.
                return await held.release()
            output = to_object(calling.result())
        except NotJsonError as error:
            # The tool has done its work, and would do it again.
            message = f"the output of the tool {tool.name} is not a JSON object: {error}"
            return await held.fail(Failure(message, "SerializationError", is_final=True))
        except Exception as error:
            return await self._fail(held, error, logger)
        finally:
            stopped.cancel()
            calling.add_done_callback(_forget)
            calling.cancel()
        return await held.complete(output, int((time.monotonic() - began) * 1000))

    async def _fail(
        self, held: Held, error: Exception, logger: logging.LoggerAdapter[logging.Logger]
    ) -> Ending:
        message, error_class = describe(error)
        logger.warning("the tool failed: %s", message, exc_info=error)
        delay = error.delay_ms() if isinstance(error, RetryAfter) else None
        return await held.fail(Failure(message, error_class, retry_after_ms=delay))

    def _refuse(self, error: WorkerRefusedError) -> None:
        """401 and 403 are about the worker; the other answers are about one item."""
        if error.status in (401, 403):
            self._refused = self._refused or error
            self._stopping.set()

    def _keep(self, tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def _names(self) -> dict[str, Any]:
        return {"worker_id": self._worker_id}

    def _names_of(self, item: Item) -> dict[str, Any]:
        return {
            "worker_id": self._worker_id,
            "tool": item.tool,
            "execution_id": item.execution_id,
            "node_id": item.node_id,
            "work_item_id": item.id,
            "attempt": item.attempt,
        }


def _has_result(call: asyncio.Future[Any]) -> bool:
    return call.done() and not call.cancelled() and call.exception() is None


def _forget(call: asyncio.Future[Any]) -> None:
    """Nobody is told what a call raises after it was given up."""
    if not call.cancelled():
        call.exception()


class _Claim:
    """`id`: a repeated claim gets what this one has leased."""

    def __init__(self, items_max: int, wait_seconds: int, id: str | None = None) -> None:
        self.items_max = items_max
        self.wait_seconds = wait_seconds
        self.id = id or str(uuid.uuid4())


def _make_worker_id() -> str:
    chars = string.ascii_lowercase + string.digits
    return f"{socket.gethostname()}-{os.getpid()}-{''.join(random.choices(chars, k=6))}"


def _on_signals(stop: Callable[[], None]) -> Callable[[], None]:
    """Gives a function that undoes it. A second signal ends the process, as it would without."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)

    def remove() -> None:
        for one in signals:
            loop.remove_signal_handler(one)

    def handle() -> None:
        remove()
        stop()

    try:
        for one in signals:
            loop.add_signal_handler(one, handle)
    except (NotImplementedError, RuntimeError, ValueError):
        # Windows, or not the main thread: the caller stops the worker.
        return lambda: None
    return remove
