"""Labels that tools set with their output, and functions while they run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from svc_sdk import (
    ExecutionHandle,
    Fatal,
    Function,
    FunctionContext,
    FunctionOptions,
    ToolContext,
    function,
    tool,
)
from svc_sdk.errors import ExecutionFailedError
from svc_sdk.testing import ClockRuntime, Runtime, mock_tool


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def runtime(request: pytest.FixtureRequest) -> Iterator[Runtime]:
    """A runtime on each of the stores."""
    env = {}
    if request.param == "postgres":
        env["SVC_DATABASE_URL"] = request.getfixturevalue("postgres")
    with Runtime(env=env) as runtime:
        yield runtime


def score_workflow(name: str, **node: Any) -> dict[str, Any]:
    kind = {"type": "python_fn", "module": name, "function": "score"}
    return {"workflow_id": name, "nodes": {"score": {"kind": kind, **node}}}


def many(count: int) -> dict[str, str]:
    return {f"n{index}": "v" for index in range(count)}


@pytest.mark.parametrize("is_async", [False, True])
def test_labels_of_a_tool_go_with_its_output_and_find_the_execution(
    runtime: Runtime, name: str, is_async: bool
) -> None:
    def set_labels(ctx: ToolContext) -> dict[str, Any]:
        ctx.set_labels({"risk": "low", "order": name})
        ctx.set_labels({"risk": "high"})
        return {"score": 98}

    if is_async:

        async def score(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
            return set_labels(ctx)
    else:

        def score(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:  # type: ignore[misc]
            return set_labels(ctx)

    with (
        runtime.client() as client,
        runtime.working(tools=[tool(f"{name}.score")(score)]),
    ):
        client.workflows.register(score_workflow(name))
        handle = client.start(name, labels={"tier": "gold", "risk": "unknown"})
        handle.result(20)
        assert handle.describe()["labels"] == {"tier": "gold", "risk": "high", "order": name}
        found = client.executions.list(q=f"labels.order = {name} and labels.risk = high")
        assert [one["execution_id"] for one in found] == [handle.id]


def test_items_that_end_together_keep_their_own_labels(runtime: Runtime, name: str) -> None:
    together = threading.Barrier(3, timeout=20)

    @tool(f"{name}.score")
    def score(given: dict[str, Any], ctx: ToolContext) -> None:
        ctx.set_labels({"number": str(given["number"])})
        together.wait()

    with runtime.client() as client, runtime.working(tools=[score], concurrency=3):
        client.workflows.register(score_workflow(name))
        handles = [client.start(name, {"number": number}) for number in range(3)]
        for number, handle in enumerate(handles):
            handle.result(20)
            assert handle.describe()["labels"] == {"number": str(number)}


def test_an_attempt_that_fails_sets_no_label(runtime: Runtime, name: str) -> None:
    @tool(f"{name}.score")
    def score(_: dict[str, Any], ctx: ToolContext) -> None:
        ctx.set_labels({f"attempt-{ctx.attempt}": "ran"})
        if ctx.attempt == 0:
            raise ValueError("not yet")

    policy = {"max_attempts": 2, "initial_delay": "1ms"}
    with runtime.client() as client, runtime.working(tools=[score]):
        client.workflows.register(score_workflow(name, retry_policy=policy))
        handle = client.start(name)
        handle.result(20)
        assert handle.describe()["labels"] == {"attempt-1": "ran"}


def test_labels_without_room_and_labels_that_none_can_have_fail_the_tool(
    runtime: Runtime, name: str
) -> None:
    runs: list[int] = []

    @tool(f"{name}.score")
    def score(labels: dict[str, Any], ctx: ToolContext) -> None:
        runs.append(ctx.attempt)
        ctx.set_labels(labels)

    policy = {"max_attempts": 2, "initial_delay": "1ms"}
    with runtime.client() as client, runtime.working(tools=[score]):
        client.workflows.register(score_workflow(name, retry_policy=policy))
        full = client.start(name, {"one": "1", "two": "2"}, labels=many(15))
        with pytest.raises(ExecutionFailedError, match="at most 16 labels"):
            full.result(20)
        assert full.describe()["labels"] == many(15)
        runs.clear()
        wrong = client.start(name, {"the risk": "high"})
        with pytest.raises(ExecutionFailedError, match=r"the name of a label .*'the risk'"):
            wrong.result(20)
        assert runs == [0]


def test_a_test_reads_the_labels_that_a_tool_in_place_of_another_sets(name: str) -> None:
    def label(given: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        ctx.set_labels({"customer": given["customer"]})
        return {}

    with ClockRuntime() as runtime, runtime.client() as client:
        client.workflows.register(score_workflow(name))
        with runtime.working(tools=[mock_tool(f"{name}.score", label)]):
            handle = client.start(name, {"customer": "Ada"})
            handle.result(20)
        assert handle.describe()["labels"] == {"customer": "Ada"}


def a_context() -> ToolContext:
    return ToolContext(
        execution_id="exec_1",
        node_id="score",
        work_item_id="item_1",
        attempt=0,
        idempotency_key="key",
        traceparent=None,
        cancelled=threading.Event(),
        logger=logging.LoggerAdapter(logging.getLogger("test"), {}),
        report_usage=lambda **_: None,
    )


def test_a_context_without_a_runtime_shows_its_labels() -> None:
    ctx, other = a_context(), a_context()
    assert ctx.labels == {}
    ctx.set_labels({"risk": "low", "order": "o-7"})
    ctx.set_labels({"risk": "high"})
    assert ctx.labels == {"risk": "high", "order": "o-7"}
    assert other.labels == {}
    ctx.labels["more"] = "v"
    assert "more" not in ctx.labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"": "v"}, "name of a label"),
        ({"_a": "v"}, "name of a label .*: '_a'"),
        ({"a b": "v"}, "name of a label"),
        ({"a\n": "v"}, "name of a label"),
        ({1: "v"}, "name of a label .*: 1"),
        ({"a" * 129: "v"}, "name of a label"),
        ({"a": ""}, "'a' must have 1 to 128 characters"),
        ({"a": "v" * 129}, "'a' must have 1 to 128 characters"),
        ({"a": "\U0001f600" * 65}, "'a' must have 1 to 128 characters"),
        ({"a": "v\0"}, r"without U\+0000"),
        ({"a": 1}, "'a' must be text, not int"),
        (many(15), "at most 16 labels: 17 are set"),
    ],
)
def test_labels_that_the_runtime_refuses_are_refused_where_they_are_set(
    labels: dict[Any, Any], message: str
) -> None:
    ctx = a_context()
    ctx.set_labels({"kept": "v"})
    with pytest.raises(Fatal, match=message):
        ctx.set_labels({"ok": "v", **labels})
    assert ctx.labels == {"kept": "v"}


def test_as_many_labels_as_an_execution_can_have_are_set(runtime: Runtime, name: str) -> None:
    longest = {"a" * 128: "\U0001f600" * 64, "A.b:c/d-e_1": "ü"}
    expected = {**many(14), **longest}

    @tool(f"{name}.score")
    def score(_: dict[str, Any], ctx: ToolContext) -> None:
        ctx.set_labels(expected)

    with runtime.client() as client, runtime.working(tools=[score]):
        client.workflows.register(score_workflow(name))
        handle = client.start(name)
        handle.result(20)
        assert handle.describe()["labels"] == expected


def test_a_function_is_found_by_its_labels_while_it_waits(runtime: Runtime, name: str) -> None:
    @function(name)
    async def order(ctx: FunctionContext, given: dict[str, Any]) -> None:
        ctx.set_labels({"order": given["id"], "phase": "paying"})
        await ctx.step("pay", lambda: None)
        ctx.set_labels({"phase": "waiting"})
        await ctx.wait_event("shipped")
        ctx.set_labels({"phase": "shipped"})

    with runtime.client() as client, runtime.working(functions=[order]):
        handle = client.start(order, {"id": name})
        until_suspended(handle)
        assert handle.describe()["labels"] == {"order": name, "phase": "waiting"}
        found = client.executions.list(q=f"labels.order = {name} and labels.phase = waiting")
        assert [one["execution_id"] for one in found] == [handle.id]
        handle.send_event("shipped")
        handle.result(20)
        assert handle.describe()["labels"] == {"order": name, "phase": "shipped"}
        history = [*handle.history()]
    recorded = [
        (entry["kind"], entry["identity"])
        for event in history
        if event["kind"] == "StepRecorded"
        for entry in event["payload"]["entries"]
    ]
    assert recorded == [
        ("labels", "set-labels"),
        ("step", "pay"),
        ("labels", "set-labels#2"),
        ("event", "shipped"),
        ("labels", "set-labels#3"),
    ]


def until_suspended(handle: ExecutionHandle) -> None:
    for event in handle.events():
        if event["kind"] == "NodeSuspended":
            return
    raise AssertionError("the function ended")


def test_labels_stay_when_a_function_fails_and_when_it_continues_as_new(
    runtime: Runtime, name: str
) -> None:
    @function(name)
    async def loop(ctx: FunctionContext, given: dict[str, Any]) -> None:
        round = given["round"]
        ctx.set_labels({f"round-{round}": "begun"})
        if round < 2:
            ctx.continue_as_new({"round": round + 1})
        raise Fatal("enough")

    with runtime.client() as client, runtime.working(functions=[loop]):
        handle = client.start(loop, {"round": 0})
        with pytest.raises(ExecutionFailedError, match="enough"):
            handle.result(20)
        expected = {"round-0": "begun", "round-1": "begun", "round-2": "begun"}
        assert handle.describe()["labels"] == expected


@pytest.mark.parametrize("at", ["step", "wait", "failure", "continuation", "end"])
def test_labels_without_room_fail_the_function_and_its_worker_serves_the_next(
    runtime: Runtime, name: str, at: str
) -> None:
    retries = {"max_attempts": 3, "initial_delay_ms": 1}

    @function(name, FunctionOptions(retry_policy=retries))
    async def overfull(ctx: FunctionContext, given: dict[str, Any]) -> None:
        if not given["fills"]:
            return
        ctx.set_labels(many(16))
        ctx.set_labels({"more": "v"})
        if at == "step":
            await ctx.step("pay", lambda: None)
        if at == "wait":
            await ctx.wait_event("never")
        if at == "failure":
            raise Fatal("failed")
        if at == "continuation":
            ctx.continue_as_new(given)

    with runtime.client() as client, runtime.working(functions=[overfull], concurrency=1):
        handle = client.start(overfull, {"fills": True})
        message = "failed" if at == "failure" else "at most 16 labels"
        with pytest.raises(ExecutionFailedError, match=message):
            handle.result(20)
        client.run(overfull, {"fills": False}, timeout=20)


def test_labels_that_no_execution_can_have_fail_the_function(runtime: Runtime, name: str) -> None:
    @function(name)
    async def wrong(ctx: FunctionContext) -> None:
        ctx.set_labels({"the risk": "high"})

    with runtime.client() as client, runtime.working(functions=[wrong]):
        handle = client.start(wrong)
        with pytest.raises(ExecutionFailedError, match=r"the name of a label .*'the risk'"):
            handle.result(20)
        failures = [event for event in handle.history() if event["kind"] == "NodeFailed"]
        assert len(failures) == 1


def test_calls_may_be_added_to_running_code_changed_and_deleted(
    runtime: Runtime, name: str
) -> None:
    def version(labels: dict[str, str]) -> Function[Any, Any]:
        @function(name)
        async def order(ctx: FunctionContext) -> dict[str, Any]:
            await ctx.step("pay", lambda: None)
            if labels:
                ctx.set_labels(labels)
            await ctx.wait_event("go")
            return {"done": True}

        return order

    codes: list[dict[str, str]] = [{"a": "1"}, {"b": "2"}, {}]
    with runtime.client() as client:
        for before in codes:
            with runtime.working(functions=[version(before)]):
                handles = [client.start(name) for _ in codes]
                for handle in handles:
                    until_suspended(handle)
            for handle, after in zip(handles, codes, strict=True):
                with runtime.working(functions=[version(after)]):
                    handle.send_event("go")
                    assert handle.result(20) == {"done": True}
