from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conftest import Runtime
from fake_service import answering
from flows import calls_tool, unique, waits_for_event
from ports import free_port
from running import running

from svc_sdk import AsyncClient, Client, Worker
from svc_sdk.errors import (
    AuthenticationError,
    ConflictError,
    ExecutionCancelledError,
    InvalidRequestError,
    LimitError,
    NoConnectionError,
    NotFoundError,
    ResultTimeoutError,
    UnavailableError,
)


@pytest.fixture
def client(runtime: Runtime) -> Client:
    return Client(url=runtime.url)


@pytest.fixture
def waiting(client: Client) -> str:
    flow = waits_for_event("answer")
    client.register(flow)
    return str(flow["workflow_id"])


def test_an_event_ends_a_wait_and_the_result_follows(client: Client, waiting: str) -> None:
    execution = client.start(waiting)
    with pytest.raises(ResultTimeoutError, match="has not ended within") as late:
        client.result(execution, timeout=0.05)
    assert late.value.execution_id == execution
    assert client.explain(execution)["execution_id"] == execution
    client.send_event(execution, "answer", {"yes": True})
    assert client.result(execution, timeout=20) is not None
    kinds = [event["kind"] for event in client.events(execution)]
    assert kinds[0] == "WorkflowStarted"
    assert kinds[-1] == "WorkflowCompleted"
    assert [event["kind"] for event in client.follow(execution)] == kinds
    assert [e["kind"] for e in client.follow(execution, after=1)] == kinds[1:]


def test_events_are_followed_while_they_come(client: Client, waiting: str) -> None:
    execution = client.start(waiting)
    seen: list[str] = []
    for event in client.follow(execution):
        seen.append(event["kind"])
        if event["kind"] == "NodeScheduled" or len(seen) == 2:
            client.send_event(execution, "answer", {})
    assert seen[-1] == "WorkflowCompleted"


def test_the_same_key_starts_one_execution(client: Client, waiting: str) -> None:
    key = unique("key")
    first = client.start(waiting, {"n": 1}, idempotency_key=key)
    assert client.start(waiting, {"n": 1}, idempotency_key=key) == first
    with pytest.raises(ConflictError, match="Idempotency-Key"):
        client.start(waiting, {"n": 2}, idempotency_key=key)


def test_lists_go_on_page_by_page(
    client: Client, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {client.start(waiting) for _ in range(7)}
    monkeypatch.setattr("svc_sdk.client.calls.LIST_PAGE", 2)
    monkeypatch.setattr("svc_sdk.client.calls.EVENTS_PAGE", 1)
    assert {one["execution_id"] for one in client.list(workflow_id=waiting)} == ids
    events = list(client.events(ids.pop()))
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))


def test_pause_resume_cancel(client: Client, waiting: str) -> None:
    execution = client.start(waiting)
    client.pause(execution, reason="lunch")
    client.resume(execution)
    client.cancel(execution)
    kinds = [event["kind"] for event in client.events(execution)]
    assert [kind for kind in kinds if not kind.startswith("Node")][-3:] == [
        "ExecutionPaused",
        "ExecutionResumed",
        "WorkflowCancelled",
    ]
    with pytest.raises(ExecutionCancelledError):
        client.result(execution, timeout=20)


@pytest.mark.parametrize("decision", ["approved", "rejected"])
def test_approvals(client: Client, decision: str) -> None:
    flow = {
        "workflow_id": unique("approves"),
        "start_node": "ask",
        "nodes": {"ask": {"kind": {"type": "human_approval"}, "output_key": "decision"}},
    }
    client.register(flow)
    execution = client.start(flow["workflow_id"])  # type: ignore[arg-type]
    decide = client.approve if decision == "approved" else client.reject
    decide(execution, user_id="reviewer", comment="as discussed")
    received = [e for e in client.follow(execution) if e["kind"] == "ApprovalReceived"]
    assert [event["payload"]["decision"] for event in received] == [decision]


def test_a_failed_execution_is_retried(client: Client, runtime: Runtime) -> None:
    flow = calls_tool("retried.call", retry_policy={"max_attempts": 1})
    client.register(flow)
    worker = Worker(url=runtime.url)
    failures = [ValueError("not yet")]

    @worker.tool("retried.call")
    def call(given: dict[str, Any]) -> dict[str, bool]:
        if failures:
            raise failures.pop()
        return {"done": True}

    with running(worker):
        execution = client.start(flow["workflow_id"])
        list(client.follow(execution))
        assert client.get(execution)["status"] == "failed"
        again = client.retry(execution)["execution_id"]
        assert client.result(again, timeout=20) == {"done": True}


def test_any_other_endpoint(client: Client) -> None:
    assert client.request("GET", "/health")["status"] == "ok"


def test_errors_are_typed(client: Client) -> None:
    with pytest.raises(NotFoundError) as missing:
        client.start(unique("nothing"))
    assert missing.value.status == 404
    assert missing.value.request_id
    with pytest.raises(InvalidRequestError, match="not JSON"):
        client.start("x", {"value": object()})
    with pytest.raises(InvalidRequestError):
        client.register({"workflow_id": "odd", "nodes": {"a": {"kind": {"type": "none"}}}})


def test_nobody_listens_at_the_port() -> None:
    client = Client(url=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(NoConnectionError, match="is svc running there") as failed:
        client.get("exec_x")
    assert failed.value.never_sent


def test_something_else_answers() -> None:
    with answering(200, b"<html>") as url, pytest.raises(NoConnectionError, match="SVC_URL"):
        Client(url=url).get("exec_x")


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, AuthenticationError), (402, LimitError), (429, LimitError), (503, UnavailableError)],
)
def test_refusals(status: int, error: type[Exception]) -> None:
    with answering(status, {"error": "said so"}, retry_after="60") as url:
        with pytest.raises(error, match="said so") as refused:
            Client(url=url).get("exec_x")
        assert refused.value.retry_after == 60  # type: ignore[attr-defined]


def test_a_url_without_a_scheme() -> None:
    with pytest.raises(ValueError, match="http://"):
        Client(url="localhost:7700")


def test_the_environment_names_the_service(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_URL", runtime.url + "/")
    monkeypatch.setenv("SVC_TOKEN", "")
    assert Client().request("GET", "/health")["status"] == "ok"


def test_the_async_client_does_the_same(runtime: Runtime, waiting: str) -> None:
    async def use() -> None:
        async with AsyncClient(url=runtime.url) as client:
            execution = await client.start(waiting, {"n": 1})
            with pytest.raises(ResultTimeoutError):
                await client.result(execution, timeout=0.05)
            following = asyncio.create_task(_collect(client, execution))
            await client.send_event(execution, "answer", {"yes": True})
            assert await client.result(execution, timeout=20) is not None
            kinds = await following
            assert kinds == [event["kind"] async for event in client.events(execution)]
            assert kinds[-1] == "WorkflowCompleted"
            listed = [one["execution_id"] async for one in client.list(workflow_id=waiting)]
            assert listed == [execution]
            with pytest.raises(NotFoundError):
                await client.run(unique("nothing"))

    asyncio.run(use())


async def _collect(client: AsyncClient, execution: str) -> list[str]:
    return [event["kind"] async for event in client.follow(execution)]


def test_both_clients_have_the_same_methods() -> None:
    def methods(of: type) -> set[str]:
        return {name for name in vars(of) if not name.startswith("_")}

    assert methods(Client) == methods(AsyncClient)
