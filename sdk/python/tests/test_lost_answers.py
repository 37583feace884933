"""Answers that do not arrive, and runtimes that refuse the worker."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

import httpx
import pytest

from svc_sdk import Client, FunctionContext, ToolContext, Worker, function, tool
from svc_sdk.errors import WorkerRefusedError
from svc_sdk.testing import Runtime, free_port


class Losing(httpx.AsyncBaseTransport):
    """Sends each request to the real runtime, and loses the first answer to each path it names."""

    def __init__(self, *endings: str) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._left = {*endings}
        self.bodies: list[bytes] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        response = await self._inner.handle_async_request(request)
        self.bodies.append(body)
        for ending in [*self._left]:
            if response.status_code == 200 and _carries(ending, request, body):
                self._left.discard(ending)
                await response.aread()
                await response.aclose()
                raise httpx.ReadError("the connection broke", request=request)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()

    @property
    def has_lost_all(self) -> bool:
        return not self._left


def _carries(ending: str, request: httpx.Request, body: bytes) -> bool:
    """Whether a request is a call of that kind, alone or with others."""
    own = request.url.path.endswith(f"/{ending}")
    return own or f'"kind":"{ending}"'.encode() in body.replace(b'": "', b'":"')


def define(client: Client, name: str) -> None:
    kind = {"type": "python_fn", "module": name, "function": "charge"}
    nodes = {"run": {"kind": kind, "output_key": "out", "retry_policy": {"max_attempts": 1}}}
    client.workflows.register({"workflow_id": name, "nodes": nodes})


@pytest.mark.parametrize("ending", ["claim", "complete"])
def test_a_lost_answer_uses_no_attempt_and_calls_no_tool_twice(
    svc: Runtime, client: Client, name: str, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    define(client, name)
    calls: list[int] = []

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: Any) -> dict[str, Any]:
        calls.append(ctx.attempt)
        return {"charged": True}

    losing = Losing(ending)
    handle = client.start(name)
    with svc.working(tools=[charge], transport=losing):
        assert handle.result(20) == {"charged": True}
    assert calls == [0]
    assert losing.has_lost_all
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []
    kinds = [event["kind"] for event in handle.history()]
    assert kinds.count("NodeCompleted") == 1
    assert "NodeFailed" not in kinds


@pytest.mark.parametrize("ending", ["steps", "suspend", "complete", "continue", "fail"])
def test_a_lost_answer_about_a_journal_records_everything_once(
    svc: Runtime, client: Client, name: str, ending: str
) -> None:
    ran: list[str] = []

    @function(name)
    async def book(ctx: FunctionContext, input: dict[str, Any]) -> dict[str, Any]:
        await ctx.step("first", lambda: ran.append("first"))
        await ctx.sleep(0.02)
        await ctx.step("second", lambda: ran.append("second"))
        if ending == "continue" and "again" not in input:
            ctx.continue_as_new({"again": True})
        if ending == "fail" and ctx.attempt == 0:
            raise OSError("once")
        return {"done": True}

    losing = Losing(ending)
    with svc.working(functions=[book], transport=losing):
        handle = client.start(book, {})
        assert handle.result(30) == {"done": True}
    assert losing.has_lost_all
    assert ran == ["first", "second"] * (2 if ending == "continue" else 1)


def test_the_trace_context_reaches_the_tool(name: str) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    collector = f"http://127.0.0.1:{free_port()}"
    tracing = {"SVC_TELEMETRY_ENABLED": "true", "SVC_TELEMETRY_OTLP_ENDPOINT": collector}

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        return {"traceparent": ctx.traceparent}

    with Runtime(env=tracing) as own, own.client() as client, own.working(tools=[charge]):
        define(client, name)
        handle = client.start(name, traceparent=f"00-{trace}-b7ad6b7169203331-01")
        assert trace in handle.result(20)["traceparent"]


@pytest.mark.parametrize(
    ("answer", "token", "message"),
    [
        (
            httpx.Response(401, json={"error": "unauthorized"}),
            None,
            "no token was sent; pass Worker",
        ),
        (
            httpx.Response(401, json={"error": "unauthorized"}),
            "t",
            'does not accept this token.*Make one with "svc token create --name NAME --role worker"',
        ),
        (
            httpx.Response(403, json={"error": "forbidden: role viewer"}),
            "t",
            "role viewer. A worker needs a token with the role worker",
        ),
        (httpx.Response(404, text="<html>"), None, "is not svc"),
        (httpx.Response(404, json={"error": "Not Found"}), None, "is not svc"),
    ],
)
def test_a_refused_worker_says_what_to_do(
    answer: httpx.Response, token: str | None, message: str
) -> None:
    transport = httpx.MockTransport(lambda _: answer)
    worker = Worker(
        url="http://svc.test", token=token, tools=[tool("a.b")(lambda _: None)], transport=transport
    )
    with pytest.raises(WorkerRefusedError, match=message):
        worker.run()


def test_a_worker_asks_without_waiting_whether_the_runtime_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    claims: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        claims.append(json.loads(request.content))
        if len(claims) == 2:
            worker.stop()
        return httpx.Response(503 if len(claims) == 1 else 200, json={"work_item": None})

    transport = httpx.MockTransport(answer)
    made = [tool("a.b")(lambda _: None)]
    worker = Worker(url="http://svc.test", tools=made, transport=transport)
    with caplog.at_level(logging.INFO, "svc_sdk.worker"):
        worker.run()
    assert [claim["wait_ms"] for claim in claims[:2]] == [20_000, 0]
    assert claims[1]["repeated"] is True
    assert claims[1]["claim_id"] == claims[0]["claim_id"]
    assert "the runtime answers again" in caplog.text


def test_a_worker_that_stops_says_that_its_claim_is_the_last() -> None:
    claims: list[dict[str, Any]] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        claims.append(json.loads(request.content))
        if len(claims) == 1:
            worker.stop()
            await asyncio.Event().wait()
        return httpx.Response(200, json={"work_item": None})

    made = [tool("a.b")(lambda _: None)]
    worker = Worker(url="http://svc.test", tools=made, transport=httpx.MockTransport(answer))
    worker.run()
    assert [claim.get("last", False) for claim in claims] == [False, True]
    assert claims[1]["claim_id"] == claims[0]["claim_id"]


ITEM = {
    "id": "item_1",
    "execution_id": "exec_1",
    "node_id": "a",
    "queue_type": "python_tool",
    "attempt": 0,
    "lease_fence": 1,
    "lease_expires_at": "2100-01-01T00:00:00.000Z",
    "heartbeat_interval_ms": 60_000,
    "idempotency_key": "k",
    "payload": {"module": "a", "function": "b", "input": {}},
}


def test_a_worker_whose_places_are_all_taken_says_that_it_stops() -> None:
    claims: list[dict[str, Any]] = []
    said = threading.Event()

    async def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/claim"):
            return httpx.Response(200, json={})
        claims.append(json.loads(request.content))
        if claims[-1].get("last"):
            said.set()
        first = len(claims) == 1
        return httpx.Response(200, json={"work_items": [ITEM]} if first else {"work_item": None})

    @tool("a.b")
    def stopping(_: object) -> None:
        worker.stop()
        assert said.wait(timeout=60)

    worker = Worker(
        url="http://svc.test",
        tools=[stopping],
        concurrency=1,
        transport=httpx.MockTransport(answer),
    )
    worker.run()
    assert [claim.get("last", False) for claim in claims] == [False, True]


def test_a_worker_says_again_that_it_stops_if_its_last_report_has_claimed_after_that() -> None:
    claims: list[dict[str, Any]] = []
    left = asyncio.Event()

    async def answer(request: httpx.Request) -> httpx.Response:
        claim = json.loads(request.content)
        claims.append(claim)
        if len(claims) == 1:
            return httpx.Response(200, json={"work_items": [ITEM]})
        if claim.get("last"):
            left.set()
        if "reports" not in claim:
            return httpx.Response(200, json={"work_items": []})
        worker.stop()
        # The runtime serves the report after the claim that says that the worker stops.
        await left.wait()
        results = [{"work_item_id": ITEM["id"], "status": 200, "body": {}}]
        return httpx.Response(200, json={"work_items": [], "results": results})

    made = [tool("a.b")(lambda _: None)]
    transport = httpx.MockTransport(answer)
    worker = Worker(url="http://svc.test", tools=made, concurrency=1, transport=transport)
    worker.run()
    assert [claim.get("last", False) for claim in claims] == [False, False, True, True]


def test_a_worker_that_stops_repeats_no_claim_to_a_runtime_that_knows_the_contract_alone() -> None:
    claims: list[dict[str, Any]] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        claims.append(json.loads(request.content))
        if len(claims) == 2:
            worker.stop()
            await asyncio.Event().wait()
        return httpx.Response(200, json={"claimed": False})

    made = [tool("a.b")(lambda _: None)]
    worker = Worker(url="http://svc.test", tools=made, transport=httpx.MockTransport(answer))
    worker.run()
    assert [claim.get("repeated", False) for claim in claims] == [False, False]


def test_a_worker_that_runs_once_does_not_say_that_it_stops() -> None:
    claims: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        claims.append(json.loads(request.content))
        return httpx.Response(200, json={"claimed": False, "work_items": []})

    made = [tool("a.b")(lambda _: None)]
    worker = Worker(url="http://svc.test", tools=made, transport=httpx.MockTransport(answer))
    assert worker.run(once=True) == 0
    assert [claim.get("last", False) for claim in claims] == [False]


def test_a_worker_that_stops_before_it_has_registered_is_never_ready(name: str) -> None:
    @function(name)
    async def one(ctx: FunctionContext) -> None: ...

    def break_and_stop(request: httpx.Request) -> httpx.Response:
        worker.stop()
        raise httpx.ConnectError("refused", request=request)

    logged: list[tuple[str, bool]] = []

    def note(record: logging.LogRecord) -> bool:
        logged.append((record.getMessage(), worker.wait_until_ready(0)))
        return True

    logger = logging.Logger(name)
    logger.addFilter(note)
    transport = httpx.MockTransport(break_and_stop)
    worker = Worker(
        url="http://svc.test", functions=[one], worker_id=name, transport=transport, logger=logger
    )
    told: list[bool] = []
    waiting = threading.Thread(target=lambda: told.append(worker.wait_until_ready()), daemon=True)
    waiting.start()
    worker.run()
    waiting.join(timeout=30)
    assert told == [False]
    # It has ended, so nobody waits for it.
    assert worker.wait_until_ready() is False
    assert logged[-1] == (f"the worker {name} has stopped", False)
    assert len(logged) == 2


def test_a_worker_that_cannot_run_is_never_ready() -> None:
    worker = Worker(url="http://svc.test")
    with pytest.raises(ValueError, match="at least one tool or function"):
        worker.run()
    assert worker.wait_until_ready() is False


def test_a_worker_claims_the_names_of_its_tools_alone(svc: Runtime, name: str) -> None:
    losing = Losing()
    made = [tool(f"{name}.a")(lambda _: None), tool(f"{name}.b")(lambda _: None)]
    worker = Worker(url=svc.url, tools=made, transport=losing)
    assert worker.run(once=True) == 0
    assert f'"tools":["{name}.a","{name}.b"]'.encode() in losing.bodies[0]
