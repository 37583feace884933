"""One turn of a function.

The code asks for entries. A loop gives them to it, one at a time, in the order of the journal, and
lets the code run after each until it only waits. When all recorded entries are given, it starts the
steps that were asked for. When no step runs and the code only waits, it suspends.

The code runs on a thread, in an event loop of its own (`turn_loop.py`), and only while this loop
waits for it: so both may touch the state of the turn. Steps run meanwhile; their outcomes wait in
`_outcomes`. A recorded entry that the code has not asked for at its place shows that the code has
changed, before anything new runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._signal import Signal
from .._threads import Threads
from ..errors import (
    BudgetExceededError,
    ContinueAsNewError,
    ExecutionCancelled,
    FunctionLimitError,
    LeaseLost,
    NonDeterminismError,
)
from .entry_log import EntryLog, is_left_out
from .journal import WAITS_MAX, Entry, Journal, Wait, error_of, quote
from .scope import Scope
from .turn_loop import TurnLoop


@dataclass(frozen=True)
class End:
    """How a turn ended: returned, threw, continued, suspended, replayed or stopped."""

    kind: str
    output: Any = None
    error: BaseException | None = None


class ContinueSignal(BaseException):
    """Ends the function, which continues as new. No `except Exception` catches it."""

    def __init__(self, input: dict[str, Any]) -> None:
        super().__init__("The function continues as new. Do not catch this signal.")
        self.input = input


@dataclass(eq=False)
class Ask:
    identity: str
    kind: str
    scope: Scope
    deliver: Callable[[Entry], None]
    reject: Callable[[BaseException], None]
    wait: Callable[[], Wait] | None = None
    """The wait to open while no entry is recorded."""


@dataclass(eq=False)
class Work:
    """A step to run once the replay is over; `finish` gets its outcome."""

    scope: Scope
    run: Callable[[], Any]
    finish: Callable[[Any], None]


class Turn:
    def __init__(
        self, journal: Journal, stopped: Signal, threads: Threads, *, starts_work: bool
    ) -> None:
        self.log = EntryLog(journal)
        self.loop = TurnLoop()  # type: ignore[abstract]
        self._journal = journal
        self._stopped = stopped
        self._threads = threads
        self._starts_work = starts_work
        """False: only replays, as a rollback does."""
        self._asks: dict[str, Ask] = {}
        self._work: list[Work] = []
        self._running: set[asyncio.Task[None]] = set()
        self._outcomes: list[Callable[[], None]] = []
        self._end: End | None = None
        self.is_over = False
        self._yields = False
        """It ends without waits as soon as no step runs."""
        self._must_flush = False
        self._broken: BaseException | None = None
        self._news = asyncio.Event()
        self._has_continued = False
        self._used_after = False

    # What the context calls, while the code runs.

    def ask(self, ask: Ask) -> None:
        """Asks for an entry; it may never come, when the turn ends first."""
        if self.find(ask.identity, ask.kind) is not None or self._end is None:
            self._asks[ask.identity] = ask

    def find(self, identity: str, kind: str) -> Entry | None:
        """An entry that the call itself answers; None when nothing is recorded."""
        try:
            return self.log.ask(identity, kind)
        except NonDeterminismError as error:
            self.end(End("threw", error=error))
            return None

    def note(self, entry: Entry, *, is_derived: bool = False) -> None:
        """Appends what the code may see at once; it is recorded with the next that must be."""
        self._append(entry, is_eager=True, is_derived=is_derived)

    def add_work(self, work: Work) -> None:
        self._work.append(work)

    def note_use(self) -> None:
        """The code uses its context."""
        if self.is_over:
            raise asyncio.CancelledError("the turn is over")
        self._used_after = self._has_continued

    def note_continuation(self, scope: Scope) -> None:
        # Nobody awaits a branch that has lost its race.
        self._has_continued = self._has_continued or not scope.is_abandoned

    def follow(self, code: asyncio.Task[Any]) -> None:
        """Ends the turn with what the code of the function comes to."""
        code.add_done_callback(lambda done: self.end(self._judge(done)))

    def end(self, end: End) -> None:
        """Ends the turn, unless it has ended."""
        self._end = self._end or end

    # What the steps call, on the event loop of the worker.

    def record(self, entry: Entry) -> None:
        """Appends and records; the code sees the entry when that is done."""
        if self._append(entry, is_eager=False):
            self._must_flush = True

    def block(self, identity: str) -> None:
        """A budget allows no further step: the asking code gets the error, or a person decides."""
        exceeded = self.log.exceeded or {}
        if exceeded.get("action") == "pause":
            self._yields = True
            return
        ask = self._asks.pop(identity, None)
        if ask is not None:
            ask.reject(BudgetExceededError(exceeded.get("message", "the budget is used up")))

    async def run(self) -> End:
        """Runs until the turn ends. Raises what the journal raised, as `LeaseLost`."""
        self._stopped.on_set(self._news.set)
        try:
            while True:
                self._news.clear()
                await self._run_code()
                if self._broken is not None:
                    raise self._broken
                if self._used_after:
                    self.end(_caught())
                if self._end is not None:
                    return await self._finish(self._end)
                if await self._step():
                    continue
                await self._news.wait()
        finally:
            self.is_over = True
            self._stopped.forget(self._news.set)
            await self._threads.call(self.loop.discard)

    async def _run_code(self) -> None:
        for outcome in self._take_outcomes():
            outcome()
        if self.loop.has_work:
            await self._threads.call(self.loop.run_ready)

    def _take_outcomes(self) -> list[Callable[[], None]]:
        taken, self._outcomes = self._outcomes, []
        return taken

    async def _step(self) -> bool:
        """Does the next thing; False when there is nothing to do before news."""
        self._flush()
        if self._give_next() or await self._meet_stop() or self._seek_divergence():
            return True
        if not self._starts_work and not self.log.is_replaying:
            self.end(End("replayed"))
            return True
        return self._start_work() or await self._suspend()

    async def _finish(self, end: End) -> End:
        # A rollback has to know of the steps under way, and the next visit cannot run them again.
        if end.kind in ("threw", "continued"):
            while self._running and not self._stopped:
                self._news.clear()
                await self._news.wait()
                for outcome in self._take_outcomes():
                    outcome()
                if self._broken is not None:
                    raise self._broken
        self.is_over = True
        await self.log.when_flushed()
        # A step that is cut off runs again in another turn of this visit.
        if end.kind == "continued" and self._running:
            return End("stopped", error=self._stopped.reason)
        return end

    def _append(self, entry: Entry, *, is_eager: bool, is_derived: bool = False) -> bool:
        if self.is_over:
            return False
        try:
            self.log.append(entry, is_eager=is_eager, is_derived=is_derived)
        except FunctionLimitError as error:
            self.end(End("threw", error=error))
            return False
        return True

    def _judge(self, code: asyncio.Task[Any]) -> End:
        error: BaseException | None
        error = asyncio.CancelledError() if code.cancelled() else code.exception()
        if isinstance(error, ContinueSignal):
            return End("continued", output=error.input)
        if self._has_continued:
            return _caught()
        return End("returned", output=code.result()) if error is None else End("threw", error=error)

    def _give_next(self) -> bool:
        """The next entry in order, if the code asked for it and may see it."""
        slot = self.log.next
        if slot is None or not (slot.is_recorded or slot.is_eager):
            return False
        ask = self._asks.pop(slot.entry["identity"], None)
        if ask is None:
            return False
        self.log.take_next()
        if "error" in slot.entry:
            ask.reject(error_of(slot.entry))
        else:
            ask.deliver(slot.entry)
        return True

    async def _meet_stop(self) -> bool:
        """Cancelled: steps under way end, and are recorded. Lost or past the deadline: at once."""
        reason = self._stopped.reason
        if reason is None:
            return False
        if isinstance(reason, LeaseLost):
            raise reason
        self.end(End("stopped", error=reason))
        if isinstance(reason, ExecutionCancelled) and self._running:
            await asyncio.wait(self._running)
            for outcome in self._take_outcomes():
                outcome()
        return True

    def _seek_divergence(self) -> bool:
        """The code only waits, and has not asked for the next recorded entry."""
        slot = self.log.next
        if slot is None or not slot.is_given or slot.entry["identity"] in self._asks:
            return False
        if is_left_out(slot.entry):
            self.log.take_next()
            return True
        other = next(iter(self._asks.values()), None)
        asked = "something else" if other is None else quote(other.kind, other.identity)
        recorded = quote(slot.entry["kind"], slot.entry["identity"])
        self.end(End("threw", error=NonDeterminismError(recorded=recorded, asked=asked)))
        return True

    def _start_work(self) -> bool:
        if self.log.is_replaying or not self._starts_work:
            return False
        work = [one for one in self._work if not one.scope.is_abandoned]
        self._work = []
        for one in work:
            task = asyncio.create_task(self._run_work(one))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return bool(work)

    async def _run_work(self, work: Work) -> None:
        try:
            outcome = await work.run()
            self._outcomes.append(lambda: work.finish(outcome))
        except BaseException as error:
            self._break(error)
        finally:
            # The loop looks when this task is no longer among the running.
            asyncio.get_running_loop().call_soon(self._news.set)

    async def _suspend(self) -> bool:
        if self._running or self._outcomes or self.log.next is not None:
            return False
        asks = [one for one in self._asks.values() if not one.scope.is_abandoned]
        waits = [one.wait() for one in asks if one.wait is not None]
        if not waits and not self._yields:
            return self._seek_deadlock()
        if len(waits) > WAITS_MAX:
            message = f"a function waits for at most {WAITS_MAX} things at once: {len(waits)}"
            self.end(End("threw", error=FunctionLimitError(message)))
            return True
        while len(self.log.unrecorded) > WAITS_MAX:
            await self.log.flush()
        satisfied = await self._journal.suspend(self.log.unrecorded, [] if self._yields else waits)
        if satisfied is None:
            self.end(End("suspended"))
        else:
            self.log.resume(satisfied)
        return True

    def _seek_deadlock(self) -> bool:
        if self._asks or self._work:
            return False
        message = "the function waits for something that no call of its ctx gives, so it never ends"
        self.end(End("threw", error=RuntimeError(message)))
        return True

    def _flush(self) -> None:
        if not self._must_flush:
            return
        self._must_flush = False
        flushing = asyncio.ensure_future(self.log.flush())
        flushing.add_done_callback(self._flushed)

    def _flushed(self, flushing: asyncio.Future[None]) -> None:
        error = None if flushing.cancelled() else flushing.exception()
        if error is not None:
            self._break(error)
        self._news.set()

    def _break(self, error: BaseException) -> None:
        self._broken = self._broken or error
        self._news.set()


def _caught() -> End:
    message = (
        "The code caught the signal of ctx.continue_as_new(), so the function did not end there. "
        "Call it outside of try blocks, or raise the signal again."
    )
    return End("threw", error=ContinueAsNewError(message))
