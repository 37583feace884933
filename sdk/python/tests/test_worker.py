from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import Runtime
from fake_service import answering
from flows import calls_tool
from running import running

from svc_sdk import Client, Fatal, RetryAfter, ToolContext, Worker
from svc_sdk.errors import ExecutionFailedError
from svc_sdk.worker import StoppedError, WorkerRefusedError, tool


@pytest.fixture
def client(runtime: Runtime) -> Client:
    return Client(url=runtime.url)


def register(client: Client, tool_name: str, **node: Any) -> str:
    flow = calls_tool(tool_name, **node)
    client.register(flow)
    return str(flow["workflow_id"])


def test_a_function_in_a_thread_and_one_on_the_loop(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url)
    threads: list[int] = []

    @worker.tool("numbers.square")
    def square(given: dict[str, int]) -> dict[str, int]:
        threads.append(threading.get_ident())
        return {"square": given["value"] ** 2}

    @worker.tool("numbers.half")
    async def half(given: dict[str, int], context: ToolContext) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"half": given["value"] / 2, "attempt": context.attempt, "node": context.node_id}

    flows = [register(client, "numbers.square"), register(client, "numbers.half")]
    with running(worker):
        assert client.run(flows[0], {"value": 7}, timeout=20) == {"square": 49}
        assert client.run(flows[1], {"value": 7}, timeout=20) == {
            "half": 3.5,
            "attempt": 0,
            "node": "call",
        }
    assert threads != [threading.main_thread().ident]
    assert square({"value": 3}) == {"square": 9}, "the function stays as it is"


@dataclass
class Order:
    sku: str
    count: int


def test_input_and_output_may_be_dataclasses(runtime: Runtime, client: Client) -> None:
    @tool("orders.double")
    def double(order: Order) -> Order:
        return Order(order.sku, order.count * 2)

    flow = register(client, "orders.double")
    with running(Worker(url=runtime.url, tools=[double])):
        assert client.run(flow, {"sku": "A-1", "count": 2}, timeout=20) == {
            "sku": "A-1",
            "count": 4,
        }


def test_an_error_is_retried_and_the_attempts_are_counted(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url)
    keys: set[str] = set()

    @worker.tool("flaky.call")
    def call(given: dict[str, Any], context: ToolContext) -> dict[str, int]:
        keys.add(context.idempotency_key)
        if context.attempt < 2:
            raise RetryAfter(0.01, cause=ConnectionError("the other side is away"))
        return {"attempt": context.attempt}

    flow = register(client, "flaky.call", retry_policy={"max_attempts": 5})
    with running(worker):
        assert client.run(flow, timeout=20) == {"attempt": 2}
    assert len(keys) == 1, "all attempts have one key"
    failed = [e for e in client.events(next(client.list(workflow_id=flow))["execution_id"])]
    classes = [e["payload"]["error_class"] for e in failed if e["kind"] == "NodeFailed"]
    assert classes == ["ConnectionError", "ConnectionError"]


def test_fatal_ends_the_attempts_where_the_policy_names_its_class(
    runtime: Runtime, client: Client
) -> None:
    worker = Worker(url=runtime.url)
    calls: list[int] = []

    @worker.tool("fatal.call")
    def call(given: dict[str, Any], context: ToolContext) -> None:
        calls.append(context.attempt)
        raise Fatal("no such card")

    policy = {"max_attempts": 5, "non_retryable_on": ["NonRetryableError"]}
    flow = register(client, "fatal.call", retry_policy=policy)
    with running(worker), pytest.raises(ExecutionFailedError, match="no such card") as failed:
        client.run(flow, timeout=20)
    assert failed.value.error_class == "NonRetryableError"
    assert failed.value.node_id == "call"
    assert calls == [0]


@pytest.mark.parametrize("output", [[1], {"x": float("nan")}, {"x": object()}])
def test_an_output_that_is_no_json_object_fails_and_is_not_repeated(
    runtime: Runtime, client: Client, output: Any
) -> None:
    worker = Worker(url=runtime.url)
    calls: list[int] = []

    @worker.tool("odd.output")
    def call(given: dict[str, Any]) -> Any:
        calls.append(1)
        return output

    flow = register(client, "odd.output", retry_policy={"max_attempts": 5})
    with running(worker), pytest.raises(ExecutionFailedError, match=r"odd\.output"):
        client.run(flow, timeout=20)
    assert len(calls) == 1


def test_workers_do_not_take_the_work_of_others(
    runtime: Runtime, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="svc_sdk.worker")
    mine, other = Worker(url=runtime.url), Worker(url=runtime.url)
    seen: list[str] = []

    @mine.tool("mine.call")
    def call_mine(given: dict[str, Any]) -> dict[str, str]:
        seen.append("mine")
        return {"by": "mine"}

    @other.tool("other.call")
    def call_other(given: dict[str, Any]) -> dict[str, str]:
        seen.append("other")
        return {"by": "other"}

    flows = [register(client, "mine.call"), register(client, "other.call")]
    with running(mine), running(other):
        ids = [client.start(flow) for flow in flows for _ in range(10)]
        by = [client.result(one, timeout=20)["by"] for one in ids]
    assert by == ["mine"] * 10 + ["other"] * 10
    assert sorted(seen) == sorted(by), "every item ran once"
    assert "completed" in caplog.text
    assert "released" not in caplog.text, "nobody gets what it must give back"


def test_many_items_share_requests_and_each_runs_once(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url, concurrency=50)
    lock = threading.Lock()
    seen: dict[int, int] = {}

    @worker.tool("many.call")
    def call(given: dict[str, int]) -> dict[str, int]:
        with lock:
            seen[given["n"]] = seen.get(given["n"], 0) + 1
        return {"n": given["n"]}

    flow = register(client, "many.call")
    started = client.start_many([{"workflow_id": flow, "input": {"n": n}} for n in range(300)])
    with running(worker):
        outputs = [client.result(one["execution_id"], timeout=60)["n"] for one in started]
    assert outputs == list(range(300))
    assert seen == dict.fromkeys(range(300), 1)


def test_long_work_keeps_its_lease_by_heartbeats(runtime: Runtime, client: Client) -> None:
    # Leases of the runtime of these tests last three seconds.
    worker = Worker(url=runtime.url)
    calls: list[int] = []

    @worker.tool("long.call")
    def call(given: dict[str, Any], context: ToolContext) -> dict[str, int]:
        calls.append(context.attempt)
        context.sleep(5)
        return {"calls": len(calls)}

    flow = register(client, "long.call")
    with running(worker):
        assert client.run(flow, timeout=30) == {"calls": 1}


def test_a_cancelled_execution_stops_its_tool(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url)
    began, ended = threading.Event(), threading.Event()
    raised: list[StoppedError] = []

    @worker.tool("cancelled.call")
    def call(given: dict[str, Any], context: ToolContext) -> None:
        began.set()
        try:
            context.sleep(60)
        except StoppedError as error:
            raised.append(error)
            raise
        finally:
            ended.set()

    flow = register(client, "cancelled.call")
    with running(worker):
        execution = client.start(flow)
        assert began.wait(20)
        client.cancel(execution)
        assert ended.wait(20)
    assert raised
    assert client.get(execution)["status"] == "cancelled"


def test_a_worker_that_stops_finishes_what_it_has_begun(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url)
    began, may_end = threading.Event(), threading.Event()

    @worker.tool("slow.call")
    def call(given: dict[str, Any]) -> dict[str, bool]:
        began.set()
        may_end.wait(20)
        return {"done": True}

    flow = register(client, "slow.call")
    thread = threading.Thread(target=worker.run)
    thread.start()
    execution = client.start(flow)
    assert began.wait(20)
    worker.stop()
    may_end.set()
    thread.join(20)
    assert not thread.is_alive()
    assert client.result(execution, timeout=20) == {"done": True}


def test_past_its_deadline_a_worker_gives_its_items_back(runtime: Runtime, client: Client) -> None:
    stuck, able = (Worker(url=runtime.url, deadline=deadline) for deadline in (0.1, 30.0))
    began = threading.Event()

    @stuck.tool("stuck.call")
    def hang(given: dict[str, Any], context: ToolContext) -> None:
        began.set()
        context.sleep(60)

    @able.tool("stuck.call")
    def answer(given: dict[str, Any], context: ToolContext) -> dict[str, int]:
        return {"attempt": context.attempt}

    flow = register(client, "stuck.call")
    with running(stuck):
        execution = client.start(flow)
        assert began.wait(20)
    with running(able):
        assert client.result(execution, timeout=30) == {"attempt": 0}, "no attempt was used"


def test_once_works_on_what_is_there_and_returns(runtime: Runtime, client: Client) -> None:
    worker = Worker(url=runtime.url)

    @worker.tool("once.call")
    def call(given: dict[str, Any]) -> None:
        return None

    flow = register(client, "once.call")
    assert worker.run(once=True) == 0
    executions = [client.start(flow) for _ in range(3)]
    assert worker.run(once=True) == 3
    assert [client.result(one, timeout=20) for one in executions] == [{}, {}, {}]


def test_a_runtime_that_dies_and_returns_costs_no_result(own_runtime: Runtime) -> None:
    client = Client(url=own_runtime.url)
    worker = Worker(url=own_runtime.url)
    began, may_end = threading.Event(), threading.Event()
    calls: list[str] = []

    @worker.tool("outage.call")
    def call(given: dict[str, Any], context: ToolContext) -> dict[str, str]:
        calls.append(context.idempotency_key)
        began.set()
        may_end.wait(60)
        return {"key": context.idempotency_key}

    flow = register(client, "outage.call")
    with running(worker):
        execution = client.start(flow)
        assert began.wait(20)
        own_runtime.kill()
        may_end.set()
        own_runtime.start()
        output = client.result(execution, timeout=60)
    assert output == {"key": calls[0]}
    assert len(set(calls)) == 1


def test_sigterm_stops_a_worker_process(runtime: Runtime, client: Client) -> None:
    program = (
        "import sys, time, svc_sdk\n"
        "worker = svc_sdk.Worker()\n"
        "@worker.tool('process.call')\n"
        "def call(given):\n"
        "    print('began', flush=True)\n"
        "    time.sleep(0.5)\n"
        "    return {'pid': True}\n"
        "print('handled', worker.run())\n"
    )
    flow = register(client, "process.call")
    execution = client.start(flow)
    env = {**os.environ, "SVC_URL": runtime.url, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "began\n"
    process.send_signal(signal.SIGTERM)
    assert process.stdout.read() == "handled 1\n"
    assert process.wait(20) == 0
    assert client.result(execution, timeout=20) == {"pid": True}


def test_a_token_that_is_refused_ends_the_worker() -> None:
    with answering(401, {"error": "invalid or expired token"}) as url:
        worker = Worker(url=url, token="wrong")
        worker.add(tool("any.call")(lambda given: {}))
        with pytest.raises(WorkerRefusedError, match="invalid or expired token") as refused:
            worker.run()
    assert refused.value.status == 401


@pytest.mark.parametrize("name", ["square", "numbers.*", "numbers square", "", "a." + "b" * 250])
def test_a_name_that_no_node_can_have_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"module\.function"):
        Worker().tool(name)(lambda given: {})


def test_a_worker_needs_a_tool_and_each_name_once() -> None:
    worker = Worker()
    with pytest.raises(ValueError, match="1 to 100 tools"):
        worker.run()
    worker.tool("a.b")(lambda given: {})
    with pytest.raises(ValueError, match="two tools"):
        worker.tool("a.b")(lambda given: {})
