"""Other results for steps and tools, by their names."""

from __future__ import annotations

import copy
import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from .._decode import return_type
from ..functions.attempt import StepContext, takes_step
from ..functions.context import FunctionContext, current_function
from ..functions.define import Function
from ..worker.tool import Tool, tool


def mock_steps(served: Function[Any, Any], mocks: Mapping[str, Any]) -> Function[Any, Any]:
    """The same function, with other code in the steps that are named as in `ctx.step`.

    A mock is a result, an exception to raise, or a function that runs in place of the step.
    """
    if not mocks:
        return served

    @functools.wraps(served.run)
    async def run(ctx: FunctionContext, *input: Any) -> Any:
        mocked = _with_mocks(ctx, mocks)
        current_function.set(mocked)
        return await served.run(mocked, *input)

    return replace(served, run=run)


def mock_tool(name: str, mock: Any) -> Tool[Any, Any]:
    """A tool of this name that gives a result, raises an exception, or calls a function."""
    if callable(mock):
        return tool(name)(mock)

    def answer(_: dict[str, Any]) -> Any:
        return _come_to(mock)

    return tool(name)(answer)


def _with_mocks(ctx: FunctionContext, mocks: Mapping[str, Any]) -> FunctionContext:
    mocked = copy.copy(ctx)

    def step(name: str, run: Callable[..., Any], **options: Any) -> Awaitable[Any]:
        return ctx.step(name, _in_place_of(run, mocks[name]) if name in mocks else run, **options)

    mocked.step = step  # type: ignore[method-assign]
    return mocked


def _in_place_of(run: Callable[..., Any], mock: Any) -> Callable[..., Any]:
    async def mocked(step: StepContext) -> Any:
        if not callable(mock):
            return _come_to(mock)
        output = mock(step) if takes_step(mock) else mock()
        return await output if isinstance(output, Awaitable) else output

    # The result has the type of the step, also in a replay.
    mocked.__annotations__["return"] = return_type(run)
    return mocked


def _come_to(result: Any) -> Any:
    if isinstance(result, BaseException):
        raise result
    return result
