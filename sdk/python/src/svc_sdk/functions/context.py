"""The context of a durable function: its calls know by where they run which branch they belong to."""

from __future__ import annotations

import asyncio
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, overload

from .._decode import decode, return_type
from .._duration import Duration, to_ms
from .._json import require_object, to_json
from .._labels import check_labels
from .._logging import Adapter
from ..errors import ContinueAsNewError
from .attempt import StepContext, TurnTools
from .derive import derive_key, derive_random, derive_uuid
from .journal import Entry, Wait
from .retry import Retry
from .rollback import Compensations
from .scope import Scope, check_name, current_scope, current_step
from .step import StepCall, begin_step
from .turn import Ask, ContinueSignal, Turn

if TYPE_CHECKING:
    from .define import Function

T = TypeVar("T")
In = TypeVar("In")
Out = TypeVar("Out")
Item = TypeVar("Item")
Branch = Awaitable[T] | Callable[[], Coroutine[Any, Any, T]]


@dataclass(frozen=True)
class Approval:
    approved: bool
    decided_by: str | None
    comment: str | None


@dataclass(frozen=True)
class ItemFacts:
    execution_id: str
    node_id: str
    turn: int
    attempt: int
    idempotency_key: str
    traceparent: str | None


current_function: ContextVar[FunctionContext | None] = ContextVar("svc_function", default=None)
"""The context of the function whose code runs, for integrations. The code of a step has none."""


class FunctionContext:
    """What a durable function does with the outside world.

    Await only what it gives, or `asyncio.gather` and tasks of it. The code of a step must not use it.
    """

    def __init__(
        self, turn: Turn, tools: TurnTools, facts: ItemFacts, compensations: Compensations
    ) -> None:
        self._turn = turn
        self._tools = tools
        self._compensations = compensations
        self.execution_id = facts.execution_id
        self.node_id = facts.node_id
        self.turn = facts.turn
        """From 0; grows with each stay of the function with a worker."""
        self.attempt = facts.attempt
        self.idempotency_key = facts.idempotency_key
        """Names the visit of the function."""
        self.traceparent = facts.traceparent
        self.logger: Adapter = _ReplayLogger(tools.logger, turn)
        """Silent while the code goes over what earlier turns did."""

    @overload
    def step(
        self,
        name: str,
        run: Callable[[], Coroutine[Any, Any, Out]]
        | Callable[[StepContext], Coroutine[Any, Any, Out]],
        *,
        retry: Retry = ...,
        timeout: Duration | None = ...,
        durability: Literal["each", "end"] = ...,
    ) -> Awaitable[Out]: ...

    @overload
    def step(
        self,
        name: str,
        run: Callable[[], Out] | Callable[[StepContext], Out],
        *,
        retry: Retry = ...,
        timeout: Duration | None = ...,
        durability: Literal["each", "end"] = ...,
    ) -> Awaitable[Out]: ...

    def step(
        self,
        name: str,
        run: Callable[..., Any],
        *,
        retry: Retry | None = None,
        timeout: Duration | None = None,
        durability: Literal["each", "end"] = "each",
    ) -> Awaitable[Any]:
        """Runs `run` at least once, and records its result exactly once.

        `run` takes nothing or a `StepContext`. Functions run on a thread, `async` ones on the event
        loop of the worker. The result is JSON; a return annotation of a dataclass or a Pydantic
        model gives that type back, in a replay too. Raises StepError after the last attempt.

        durability: `end` records the result with the next entry, for steps that are safe to redo.
        """
        scope = self._at(name)
        identity = scope.identify(name)
        kind = return_type(run)
        future = self._ask(
            identity, "step", scope, None, lambda entry: decode(kind, entry.get("output"), identity)
        )
        call = StepCall(
            identity,
            scope,
            run,
            retry or Retry(),
            None if timeout is None else to_ms(timeout) / 1000,
            is_eager=durability == "end",
        )
        begin_step(self._turn, self._tools, call)
        return future

    def sleep(self, duration: Duration, name: str = "sleep") -> Awaitable[None]:
        """Waits for seconds or a timedelta. No process holds the function meanwhile."""
        end = time.monotonic() + to_ms(duration) / 1000

        def wait(identity: str) -> Wait:
            # Other branches may have worked since.
            left_ms = max(0, round((end - time.monotonic()) * 1000))
            return {"identity": identity, "kind": "timer", "delay_ms": left_ms}

        return self._wait(name, "timer", wait, lambda _: None)

    def sleep_until(self, at: datetime, name: str = "sleep-until") -> Awaitable[None]:
        """Waits until a time; one without a zone is UTC."""
        aware = at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)
        until = aware.astimezone(timezone.utc).isoformat(timespec="milliseconds")

        def wait(identity: str) -> Wait:
            return {"identity": identity, "kind": "timer", "until": until.replace("+00:00", "Z")}

        return self._wait(name, "timer", wait, lambda _: None)

    def wait_event(
        self, name: str, *, key: str | None = None, timeout: Duration | None = None
    ) -> Awaitable[Any]:
        """The payload of the external event with the correlation key, by default the name.

        An event that came before counts. Raises WaitTimeoutError after `timeout`.
        """

        def wait(identity: str) -> Wait:
            return {
                "identity": identity,
                "kind": "event",
                "correlation_key": key or name,
                **_timeout_member(timeout),
            }

        return self._wait(name, "event", wait, lambda output: output)

    def approval(
        self,
        name: str,
        *,
        description: str | None = None,
        context: object = None,
        timeout: Duration | None = None,
    ) -> Awaitable[Approval]:
        """The decision of a person. Raises WaitTimeoutError after `timeout`."""
        members: dict[str, Any] = _timeout_member(timeout)
        if description is not None:
            members["description"] = description
        if context is not None:
            members["context"] = to_json(context, "context")

        def decide(output: Any) -> Approval:
            said = output or {}
            return Approval(
                said.get("approved") is True, said.get("decided_by"), said.get("comment")
            )

        return self._wait(
            name,
            "approval",
            lambda identity: {"identity": identity, "kind": "approval", **members},
            decide,
        )

    @overload
    def call(
        self,
        target: Function[In, Out],
        input: In,
        *,
        name: str | None = ...,
        version: str | None = ...,
    ) -> Awaitable[Out]: ...

    @overload
    def call(
        self, target: str, input: object, *, name: str | None = ..., version: str | None = ...
    ) -> Awaitable[Any]: ...

    def call(
        self,
        target: Function[Any, Any] | str,
        input: object,
        *,
        name: str | None = None,
        version: str | None = None,
    ) -> Awaitable[Any]:
        """Starts a child execution and waits for its end. Raises ChildError when it fails.

        A function gives its output. The id of a workflow gives its final state.
        """
        workflow_id = target if isinstance(target, str) else target.name
        members: dict[str, Any] = {
            "workflow_id": workflow_id,
            "input": require_object(input, f"The input of ctx.call({workflow_id!r})", "input"),
        }
        if version is not None:
            members["version"] = version

        def convert(state: Any) -> Any:
            if isinstance(target, str):
                return state
            return decode(return_type(target.run), (state or {}).get("output"), workflow_id)

        return self._wait(
            name or workflow_id,
            "child",
            lambda identity: {"identity": identity, "kind": "child", **members},
            convert,
        )

    def gather(self, *branches: Branch[Any]) -> Awaitable[list[Any]]:
        """Runs branches side by side and gives their results in order.

        A branch is a coroutine, a function that makes one, or a call of this context. Each names its
        steps for itself. The first exception of a branch is raised.
        """
        scope = self._at("all")
        identity = scope.identify("all")
        begun = [self._begin(one, scope.branch(identity, at)) for at, one in enumerate(branches)]
        return asyncio.gather(*begun)

    def race(self, *branches: Branch[Any]) -> Awaitable[Any]:
        """Gives the result of the branch that ends first, and cancels the others."""
        scope = self._at("race")
        identity = scope.identify("race")
        scopes = [scope.branch(identity, at) for at in range(len(branches))]
        begun = [self._begin(*pair) for pair in zip(branches, scopes, strict=True)]
        return asyncio.ensure_future(_first_of(begun, scopes))

    def map(
        self,
        items: Sequence[Item],
        run: Callable[[Item], Coroutine[Any, Any, Out]],
        *,
        concurrency: int = 10,
        name: str = "map",
    ) -> Awaitable[list[Out]]:
        """Runs `run` for each item, `concurrency` at a time, and gives the results in order."""
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1: {concurrency}")
        scope = self._at(name)
        identity = scope.identify(name)
        left = iter(enumerate(items))
        results: dict[int, Out] = {}

        async def lane() -> None:
            for at, item in left:
                branch = scope.branch(identity, at)
                results[at] = await self._begin(lambda one=item: run(one), branch)  # type: ignore[misc]

        async def all_lanes() -> list[Out]:
            await asyncio.gather(*(lane() for _ in range(min(concurrency, len(items)))))
            return [results[at] for at in range(len(items))]

        return asyncio.ensure_future(all_lanes())

    def now(self) -> datetime:
        """The time, in UTC; the same in each turn."""
        at_ms = self._value("now", lambda _: int(self._tools.clock() * 1000), is_derived=False)
        return datetime.fromtimestamp(at_ms / 1000, timezone.utc)

    def random(self) -> float:
        """From 0 to below 1; the same in each turn."""
        return float(self._value("random", lambda key: derive_random(key), is_derived=True))

    def uuid(self) -> uuid.UUID:
        """The same in each turn."""
        return uuid.UUID(self._value("uuid", lambda key: str(derive_uuid(key)), is_derived=True))

    def version(self, change: str, version: int) -> int:
        """The version of a change with which this execution runs; 0: from before the change."""
        if isinstance(version, bool) or version < 1:
            raise ValueError(f"a version is a whole number from 1: {version}")
        identity = f"{self._at(change).prefix}version/{change}"
        found = self._turn.find(identity, "version")
        if found is not None:
            return int(found["output"])
        if self._turn.log.is_replaying:
            return 0
        self._turn.note({"identity": identity, "kind": "version", "output": version})
        return version

    def set_labels(self, labels: Mapping[str, str]) -> None:
        """Sets labels of the execution, to find it by.

        They are recorded with the next entry or wait, or with the end of the function, and stay when
        it fails. Later calls replace labels of the same names. Raises Fatal for more than 16 labels,
        and for names and values that no label can have.
        """
        check_labels(labels)
        identity = self._at("set-labels").identify("set-labels")
        if self._turn.find(identity, "labels") is None:
            entry = {"identity": identity, "kind": "labels", "output": {**labels}}
            # Lost, they are set again.
            self._turn.note(entry, is_derived=True)

    def on_rollback(self, name: str, run: Callable[..., Any]) -> None:
        """Registers how to undo what comes next, for a failure or a cancel of the execution."""
        identity = self._at(name).identify(f"on-rollback {name}")
        if self._turn.find(identity, "on_rollback") is None:
            self._turn.note({"identity": identity, "kind": "on_rollback"})
        self._compensations.register(identity, run)

    def continue_as_new(self, input: object) -> NoReturn:
        """Ends this visit; another begins with `input` and an empty journal."""
        scope = self._at("continue_as_new")
        if self._compensations:
            raise ContinueAsNewError(
                "A function with registered rollbacks cannot continue as new: the next visit cannot "
                "run them. Do work that needs a rollback in a child, with ctx.call()."
            )
        signal = ContinueSignal(
            require_object(input, "The input of ctx.continue_as_new()", "input")
        )
        self._turn.note_continuation(scope)
        raise signal

    def _at(self, name: str) -> Scope:
        check_name(name)
        step = current_step.get()
        if step is not None:
            raise RuntimeError(f"ctx is not for the code of a step: {step} uses it for {name}")
        self._turn.note_use()
        return current_scope.get()

    def _begin(self, branch: Branch[Any], scope: Scope) -> asyncio.Future[Any]:
        """Runs a branch under its own scope. A call of this context is under way already."""
        if asyncio.isfuture(branch):
            return branch
        context = copy_context()
        context.run(current_scope.set, scope)
        coroutine = branch if inspect.iscoroutine(branch) else _await(branch)
        return self._turn.loop.create_task(coroutine, context=context)

    def _wait(
        self,
        name: str,
        kind: str,
        wait: Callable[[str], Wait],
        convert: Callable[[Any], Any],
    ) -> Awaitable[Any]:
        scope = self._at(name)
        identity = scope.identify(name)
        return self._ask(
            identity,
            kind,
            scope,
            lambda: wait(identity),
            lambda entry: convert(entry.get("output")),
        )

    def _ask(
        self,
        identity: str,
        kind: str,
        scope: Scope,
        wait: Callable[[], Wait] | None,
        convert: Callable[[Entry], Any],
    ) -> asyncio.Future[Any]:
        future = self._turn.loop.create_future()

        def deliver(entry: Entry) -> None:
            if future.done():
                return
            try:
                future.set_result(convert(entry))
            except Exception as error:
                future.set_exception(error)

        def reject(error: BaseException) -> None:
            if not future.done():
                future.set_exception(error)

        self._turn.ask(Ask(identity, kind, scope, deliver, reject, wait))
        return future

    def _value(self, name: str, make: Callable[[str], Any], *, is_derived: bool) -> Any:
        identity = self._at(name).identify(name)
        found = self._turn.find(identity, "value")
        if found is not None:
            return found.get("output")
        output = make(derive_key(self._tools.visit_key, identity))
        entry = {"identity": identity, "kind": "value", "output": output}
        self._turn.note(entry, is_derived=is_derived)
        return output


class _ReplayLogger(Adapter):
    def __init__(self, logger: Adapter, turn: Turn) -> None:
        super().__init__(logger.logger, logger.extra)
        self._inner = logger
        self._turn = turn

    def isEnabledFor(self, level: int) -> bool:
        return not self._turn.log.is_replaying and super().isEnabledFor(level)

    def process(self, msg: Any, kwargs: Any) -> Any:
        return self._inner.process(msg, kwargs)


def _timeout_member(timeout: Duration | None) -> dict[str, Any]:
    return {} if timeout is None else {"timeout_ms": to_ms(timeout, "timeout")}


async def _await(branch: Any) -> Any:
    return await (branch() if callable(branch) else branch)


async def _first_of(begun: list[asyncio.Future[Any]], scopes: list[Scope]) -> Any:
    done, _ = await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
    winner = next(one for one in begun if one in done)
    for other, scope in zip(begun, scopes, strict=True):
        if other is not winner:
            scope.abandon()
            other.cancel()
    return winner.result()
