"""Model usage, builds of pinned functions, and named queues."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from svc_sdk import (
    Client,
    Fatal,
    FunctionContext,
    FunctionOptions,
    Retry,
    StepContext,
    ToolContext,
    function,
    tool,
)
from svc_sdk.errors import ExecutionFailedError
from svc_sdk.testing import Runtime, recorded_steps


def wait_until(check: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def tool_node(name: str, **kind: Any) -> dict[str, Any]:
    nodes = {
        "run": {
            "kind": {"type": "python_fn", "module": name, "function": "ask", **kind},
            "output_key": "out",
            "retry_policy": {"max_attempts": 1},
        }
    }
    return {"workflow_id": name, "nodes": nodes}


def test_a_step_reports_the_usage_of_all_its_attempts(svc: Runtime, name: str) -> None:
    @function(name)
    async def ask(ctx: FunctionContext) -> dict[str, Any]:
        def run(step: StepContext) -> str:
            step.report_usage(model="m-1", input_tokens=10, output_tokens=2, cost_usd=0.5)
            if step.attempt == 1:
                raise ValueError("cut off")
            return "answer"

        return {"answer": await ctx.step("ask", run, retry=Retry(initial_interval=0.001))}

    with svc.working(functions=[ask]), svc.client() as client:
        handle = client.start(ask)
        assert handle.result(20) == {"answer": "answer"}
    with svc.client() as client:
        (step,) = recorded_steps(client.execution(handle.id).history())
        usage = handle_usage(client, handle.id)
    assert step.usage == {
        "model": "m-1",
        "input_tokens": 20,
        "output_tokens": 4,
        "cost_usd": 1.0,
    }
    assert usage == {"input_tokens": 20, "output_tokens": 4, "cost_usd": 1.0}


def handle_usage(client: Client, id: str) -> dict[str, Any]:
    return {**client.executions.get(id)["usage"]}


@pytest.mark.parametrize("fails", [False, True])
def test_a_tool_reports_usage_with_its_output_and_with_its_error(
    svc: Runtime, client: Client, name: str, fails: bool
) -> None:
    @tool(f"{name}.ask")
    def ask(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        for _turn in range(2):
            ctx.report_usage(model="m-1", input_tokens=3, output_tokens=1, cost_usd=0.25)
        if fails:
            raise Fatal("no answer")
        return {"answer": "yes"}

    client.workflows.register(tool_node(name))
    with svc.working(tools=[ask]):
        handle = client.start(name)
        if fails:
            with pytest.raises(ExecutionFailedError, match="no answer"):
                handle.result(20)
        else:
            assert handle.result(20) == {"answer": "yes"}
    usage = handle_usage(client, handle.id)
    assert usage == {"input_tokens": 6, "output_tokens": 2, "cost_usd": 0.5}


def test_a_budget_ends_the_function_that_has_used_it_up(svc: Runtime, name: str) -> None:
    @function(name, FunctionOptions(workflow={"token_budget": 10}))
    async def spend(ctx: FunctionContext) -> dict[str, Any]:
        def run(step: StepContext) -> None:
            step.report_usage(model="m-1", input_tokens=20, output_tokens=0)

        await ctx.step("first", run)
        await ctx.step("second", run)
        return {}

    with svc.working(functions=[spend]), svc.client() as client:
        handle = client.start(spend)
        with pytest.raises(ExecutionFailedError, match="budget"):
            handle.result(20)
        names = [step.name for step in recorded_steps(handle.history())]
    assert names == ["first"]


def test_a_pinned_run_continues_only_on_the_build_that_began_it(svc: Runtime, name: str) -> None:
    ran: list[str] = []

    def build(version: str) -> Any:
        @function(name, FunctionOptions(pinned=True))
        async def served(ctx: FunctionContext) -> dict[str, Any]:
            await ctx.step("begin", lambda: ran.append(f"begin {version}"))
            await ctx.wait_event("go")
            await ctx.step("end", lambda: ran.append(f"end {version}"))
            return {"build": version}

        return served

    with svc.client() as client:
        with svc.working(functions=[build("a")], build_id="build-a"):
            old = client.start(name)
            wait_until(lambda: recorded_steps(old.history()))
            wait_until(lambda: old.describe()["status"] == "paused")
        with svc.working(functions=[build("b")], build_id="build-b"):
            new = client.start(name)
            old.send_event("go")
            new.send_event("go")
            assert new.result(20) == {"build": "b"}
            assert old.describe()["completed_at"] is None
        with svc.working(functions=[build("a")], build_id="build-a"):
            assert old.result(20) == {"build": "a"}
    assert ran == ["begin a", "begin b", "end b", "end a"]


def test_a_named_queue_is_served_by_the_workers_that_name_it(
    svc: Runtime, client: Client, name: str
) -> None:
    served: list[str] = []

    def worker_of(queue: str) -> Any:
        @tool(f"{name}.ask")
        def ask(_: dict[str, Any]) -> dict[str, Any]:
            served.append(queue)
            return {}

        return ask

    @function(f"{name}-function", FunctionOptions(queue="gpu"))
    async def render(ctx: FunctionContext) -> dict[str, Any]:
        return {"rendered": await ctx.step("render", lambda: True)}

    client.workflows.register(tool_node(name, queue="gpu"))
    with svc.working(tools=[worker_of("default")]):
        handle = client.start(name)
        plain = tool_node(f"{name}-plain")
        plain["nodes"]["run"]["kind"]["module"] = name
        client.workflows.register(plain)
        # It claims from the default queue all the while.
        client.run(f"{name}-plain", timeout=20)
        assert served == ["default"]
        with svc.working(tools=[worker_of("gpu")], functions=[render], queues=["gpu"]):
            handle.result(20)
            assert client.run(render, timeout=20) == {"rendered": True}
    assert served == ["default", "gpu"]
