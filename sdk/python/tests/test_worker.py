from __future__ import annotations

import asyncio
import logging
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest

from svc_sdk import Client, Fatal, RetryAfter, ToolContext, Worker, tool
from svc_sdk.errors import ExecutionFailedError, WorkerRefusedError
from svc_sdk.testing import Runtime, free_port


@dataclass
class Order:
    id: str
    amount: int


@dataclass
class Receipt:
    charged: int
    thread: str


def define(client: Client, name: str, function: str = "charge", **node: Any) -> None:
    kind = {"type": "python_fn", "module": name, "function": function}
    nodes = {"run": {"kind": kind, "output_key": "out", **node}}
    client.workflows.register({"workflow_id": name, "nodes": nodes})


def test_a_function_runs_on_a_thread_with_typed_input_and_output(
    svc: Runtime, client: Client, name: str
) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    def charge(order: Order) -> Receipt:
        return Receipt(order.amount, threading.current_thread().name)

    with svc.working(tools=[charge]):
        output = client.run(name, {"id": "A-1", "amount": 25}, timeout=20)
    assert output["charged"] == 25
    assert output["thread"].startswith("svc-code")
    assert charge(Order("A-1", 3)).charged == 3


def test_an_async_function_runs_on_the_event_loop(svc: Runtime, client: Client, name: str) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    async def charge(order: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"attempt": ctx.attempt, "key": ctx.idempotency_key, "execution": ctx.execution_id}

    with svc.working(tools=[charge]):
        handle = client.start(name)
        output = handle.result(20)
    assert output["execution"] == handle.id
    assert output["attempt"] == 0
    assert len(output["key"]) == 64


def test_items_run_side_by_side_up_to_the_concurrency(
    svc: Runtime, client: Client, name: str
) -> None:
    define(client, name)
    together = threading.Barrier(4)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> None:
        together.wait(20)

    with svc.working(tools=[charge], concurrency=4):
        verdicts = client.start_many({"workflow_id": name} for _ in range(8))
        for verdict in verdicts:
            assert client.execution(verdict["execution_id"]).result(20) == {}


def test_workers_leave_the_tools_of_others_alone(svc: Runtime, client: Client, name: str) -> None:
    define(client, name, "mine")
    define(client, f"{name}-other", "other")

    @tool(f"{name}.mine")
    def mine(_: dict[str, Any]) -> dict[str, Any]:
        return {"by": "mine"}

    with svc.working(tools=[mine]):
        other = client.start(f"{name}-other")
        assert client.run(name, timeout=20) == {"by": "mine"}
        assert other.describe()["status"] == "running"
        assert [event["kind"] for event in other.history()].count("NodeStarted") <= 1
    other.cancel()


def test_an_exception_fails_the_attempt_and_another_follows(
    svc: Runtime, client: Client, name: str
) -> None:
    policy = {"max_attempts": 3, "backoff": "fixed", "initial_delay": "10ms"}
    define(client, name, retry_policy=policy)
    attempts: list[int] = []

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        attempts.append(ctx.attempt)
        if ctx.attempt == 0:
            raise LookupError("not yet")
        return {"attempt": ctx.attempt}

    with svc.working(tools=[charge]):
        assert client.run(name, timeout=20) == {"attempt": 1}
    assert attempts == [0, 1]


def test_fatal_allows_no_further_attempt(svc: Runtime, client: Client, name: str) -> None:
    define(client, name, retry_policy={"max_attempts": 5, "initial_delay": "10ms"})
    calls: list[int] = []

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> None:
        calls.append(1)
        raise Fatal("no such account")

    with svc.working(tools=[charge]), pytest.raises(ExecutionFailedError, match="no such account"):
        client.run(name, timeout=20)
    assert len(calls) == 1


def test_retry_after_replaces_the_back_off(svc: Runtime, client: Client, name: str) -> None:
    define(client, name, retry_policy={"max_attempts": 2, "initial_delay": "1h"})

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: ToolContext) -> None:
        if ctx.attempt == 0:
            raise RetryAfter(0.01)

    with svc.working(tools=[charge]):
        assert client.run(name, timeout=20) == {}


def test_output_that_is_no_json_fails_with_the_place(
    svc: Runtime, client: Client, name: str
) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> dict[str, Any]:
        return {"items": [1, {2}]}

    with (
        svc.working(tools=[charge]),
        pytest.raises(
            ExecutionFailedError, match=r"output\.items\[1\] is a set; use a sorted list"
        ) as failed,
    ):
        client.run(name, timeout=20)
    assert failed.value.error_class == "SerializationError"


def test_a_missing_key_is_told_as_one(svc: Runtime, client: Client, name: str) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    def charge(order: dict[str, Any]) -> dict[str, Any]:
        return {"charged": order["amount"]}

    with (
        svc.working(tools=[charge]),
        pytest.raises(ExecutionFailedError, match="KeyError: 'amount'") as failed,
    ):
        client.run(name, timeout=20)
    assert failed.value.error_class == "KeyError"


def test_the_log_says_why_the_runtime_refuses_a_result(
    svc: Runtime, client: Client, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> dict[str, Any]:
        return {"constructor": 1}

    with (
        caplog.at_level(logging.WARNING, "svc_sdk.worker"),
        svc.working(tools=[charge]),
        pytest.raises(ExecutionFailedError) as failed,
    ):
        client.run(name, timeout=20)
    assert failed.value.error_class == "invalid_output"
    refusals = [
        one.getMessage() for one in caplog.records if "the runtime refuses" in one.getMessage()
    ]
    assert refusals[0].startswith("the runtime refuses the result: ")
    assert "constructor" in refusals[0]


def test_run_once_takes_what_waits_and_returns(svc: Runtime, client: Client, name: str) -> None:
    define(client, name)
    worker = Worker(url=svc.url, concurrency=2)

    @worker.tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> None:
        pass

    handles = [client.start(name) for _ in range(5)]
    assert worker.run(once=True) == 5
    assert [handle.result(20) for handle in handles] == [{}] * 5
    assert worker.run(once=True) == 0


def test_a_cancel_reaches_the_code_by_the_heartbeat(
    client: Client, name: str, quick: Runtime
) -> None:
    with quick.client() as own:
        define(own, name)
        begun, seen = threading.Event(), threading.Event()

        @tool(f"{name}.charge")
        def charge(_: dict[str, Any], ctx: ToolContext) -> None:
            begun.set()
            assert ctx.cancelled.wait(20)
            seen.set()
            ctx.raise_if_cancelled()

        @tool(f"{name}.wait")
        async def wait(_: dict[str, Any]) -> None:
            begun.set()
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                seen.set()
                raise

        define(own, f"{name}-async", "wait")
        own.workflows.register(
            {
                "workflow_id": f"{name}-async",
                "version": "2.0.0",
                "nodes": {
                    "run": {"kind": {"type": "python_fn", "module": name, "function": "wait"}}
                },
            }
        )
        with quick.working(tools=[charge, wait]):
            for workflow in (name, f"{name}-async"):
                begun.clear()
                seen.clear()
                handle = own.start(workflow)
                assert begun.wait(20)
                handle.cancel()
                assert seen.wait(20)


def test_work_longer_than_a_lease_keeps_it_though_the_event_loop_is_blocked(
    quick: Runtime, name: str
) -> None:
    with quick.client() as own:
        define(own, name)
        attempts: list[int] = []

        @tool(f"{name}.charge")
        async def charge(_: dict[str, Any], ctx: ToolContext) -> None:
            attempts.append(ctx.attempt)
            time.sleep(4.5)  # noqa: ASYNC251 -- it blocks the event loop on purpose

        with quick.working(tools=[charge]):
            assert own.run(name, timeout=30) == {}
    assert attempts == [0]


@pytest.fixture(scope="module")
def quick() -> Any:
    """A runtime whose leases last three seconds."""
    with Runtime(env={"SVC_SCHEDULER_LEASE_SECONDS": "3"}) as runtime:
        yield runtime


def test_stopping_finishes_the_items_under_way(svc: Runtime, client: Client, name: str) -> None:
    define(client, name)
    begun, may_end = threading.Event(), threading.Event()

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        assert may_end.wait(20)
        return {"ended": True}

    with svc.working(tools=[charge]) as worker:
        handle = client.start(name)
        assert begun.wait(20)
        worker.stop()
        may_end.set()
    assert handle.result(20) == {"ended": True}


def test_stopping_gives_back_what_does_not_end_in_time(
    svc: Runtime, client: Client, name: str
) -> None:
    define(client, name)
    begun, may_end, told = threading.Event(), threading.Event(), threading.Event()

    @tool(f"{name}.charge")
    def stuck(_: dict[str, Any], ctx: ToolContext) -> None:
        begun.set()
        if ctx.cancelled.wait(20):
            told.set()
        may_end.wait(20)

    with svc.working(tools=[stuck], stop_seconds=0.1):
        handle = client.start(name)
        assert begun.wait(20)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        return {"attempt": ctx.attempt}

    with svc.working(tools=[charge]):
        assert handle.result(20) == {"attempt": 0}
    may_end.set()
    assert told.is_set()


def test_log_lines_carry_the_ids_of_the_item(
    svc: Runtime, client: Client, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    define(client, name)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: ToolContext) -> None:
        ctx.logger.info("charging")

    with caplog.at_level(logging.INFO, "svc_sdk.worker"), svc.working(tools=[charge]):
        handle = client.start(name)
        handle.result(20)
    (line,) = [one for one in caplog.records if one.getMessage().startswith("charging")]
    assert f"execution_id={handle.id}" in line.getMessage()
    assert (line.__dict__["node_id"], line.__dict__["attempt"]) == ("run", 0)


def test_a_wrong_port_is_tried_again_until_the_worker_stops(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from svc_sdk.testing import running

    worker = Worker(url=f"http://127.0.0.1:{free_port()}", tools=[tool("a.b")(lambda _: None)])
    with running(worker):
        deadline = time.monotonic() + 20
        while "cannot claim, trying again" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "cannot claim, trying again: no answer from" in caplog.text
    assert 'start it with "svc dev"' in caplog.text


def test_an_unknown_tenant_is_named(svc: Runtime) -> None:
    worker = Worker(url=svc.url, tenant="nobody", tools=[tool("a.b")(lambda _: None)])
    with pytest.raises(
        WorkerRefusedError, match=r"\(404\): not found: tenant nobody\. Create it with"
    ):
        worker.run()


def test_another_service_at_the_address_is_named(svc: Runtime) -> None:
    worker = Worker(url=f"{svc.url}/nothing-here", tools=[tool("a.b")(lambda _: None)])
    with pytest.raises(WorkerRefusedError, match=r"is not svc .*check the address and the port"):
        worker.run()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "127.0.0.1:7700"}, "url must be an address such as"),
        ({"concurrency": 0}, "concurrency must be from 1 to 1000"),
        ({"build_id": "a b"}, "build_id must be 1 to 64"),
    ],
)
def test_options_that_no_worker_can_run_with_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Worker(**options)


def test_a_worker_without_tools_and_two_of_a_name_are_refused() -> None:
    worker = Worker()
    with pytest.raises(ValueError, match="at least one tool or function"):
        worker.run()
    worker.tool("a.b")(lambda _: None)
    with pytest.raises(ValueError, match=r"two definitions have the name a\.b"):
        worker.tool("a.b")(lambda _: None)
