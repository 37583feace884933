"""The definition of a durable function, and the workflow that a worker registers for it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, overload

from ..workflow import (
    Batch,
    Concurrency,
    Debounce,
    Fairness,
    StartRate,
    fairness_ir,
    flow_rule_ir,
)
from .context import FunctionContext

In = TypeVar("In")
Out = TypeVar("Out")

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")


@dataclass(frozen=True)
class FunctionOptions:
    queue: str | None = None
    """The named queue of the work."""
    version: str = "1.0.0"
    """The version of the workflow."""
    timeout_secs: int | None = None
    """Bounds a visit of the function, waiting included; see `count_suspended`."""
    count_suspended: bool | None = None
    """False: `timeout_secs` leaves out the time in which the function is suspended."""
    pinned: bool | None = None
    """True: a run stays with the `build_id` of the worker that began it."""
    retry_policy: str | Mapping[str, Any] | None = None
    """For failures outside steps; as `retry_policy` of a node."""
    strict: bool = True
    """False: recorded entries that the code does not ask for are a warning, and no error."""
    workflow: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the workflow, as `description`, `token_budget` or `on_budget_exceeded`."""
    concurrency: Concurrency | None = None
    """How many executions of the function run at a time; a child takes no place."""
    rate: StartRate | None = None
    """How many executions of the function begin in a time; a child takes no token."""
    debounce: Debounce | None = None
    """Of starts that come soon after each other, the last begins."""
    batch: Batch | None = None
    """Starts gather, and one execution begins for all of them."""
    fairness: Fairness | None = None
    """Keys take turns when workers claim its items."""


@dataclass(frozen=True)
class Function(Generic[In, Out]):
    """A durable function: give it to a worker, start it by its name, call it from other functions."""

    name: str
    run: Callable[..., Coroutine[Any, Any, Out]]
    options: FunctionOptions

    def to_ir(self) -> dict[str, Any]:
        """The workflow that has the function as its one node."""
        options = self.options
        kind = _present(
            type="function",
            name=self.name,
            queue=options.queue,
            pinned=options.pinned,
            count_suspended=options.count_suspended,
        )
        node = _present(
            kind=kind,
            output_key="output",
            node_timeout_secs=options.timeout_secs,
            retry_policy=options.retry_policy,
        )
        concurrency = options.concurrency and flow_rule_ir(options.concurrency)
        rate = options.rate and flow_rule_ir(options.rate)
        debounce = options.debounce and flow_rule_ir(options.debounce)
        batch = options.batch and flow_rule_ir(options.batch)
        fairness = options.fairness and fairness_ir(options.fairness)
        rules = _present(
            concurrency=concurrency, rate=rate, debounce=debounce, batch=batch, fairness=fairness
        )
        return {
            **options.workflow,
            **rules,
            "workflow_id": self.name,
            "version": options.version,
            "nodes": {"run": node},
        }


class Decorator(Protocol):
    """Makes a durable function of a function with or without input."""

    @overload
    def __call__(
        self, run: Callable[[FunctionContext], Coroutine[Any, Any, Out]], /
    ) -> Function[None, Out]: ...

    @overload
    def __call__(
        self, run: Callable[[FunctionContext, In], Coroutine[Any, Any, Out]], /
    ) -> Function[In, Out]: ...


def function(name: str, options: FunctionOptions | None = None) -> Decorator:
    """Makes a durable function of an `async` function.

    Its code runs again from the start in each turn, and gets the results of its steps from the
    journal. Everything that has an effect, or may come out differently, belongs in `ctx.step`.
    Input and output are JSON objects, dataclasses or Pydantic models.

    Raises ValueError for a wrong name, and TypeError for a function without `async`.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f'the name of a function has 1 to 200 letters, digits, ".", "_" and "-": {name!r}'
        )

    def decorate(run: Callable[..., Coroutine[Any, Any, Any]]) -> Function[Any, Any]:
        if not inspect.iscoroutinefunction(run):
            raise TypeError(f"the durable function {name} must be an async function")
        return Function(name, run, options or FunctionOptions())

    return decorate


def _present(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}
