"""Where the service is and who may use it: tokens, tenants, a proxy with a prefix, and mistakes."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from svc_sdk import Client, FunctionContext, FunctionOptions, Worker, Workflow, function, tool
from svc_sdk.errors import (
    AuthenticationError,
    ConnectionFailedError,
    NotFoundError,
    PermissionDeniedError,
    ValidationError,
    WorkerRefusedError,
)
from svc_sdk.langgraph import SvcStore
from svc_sdk.testing import ClockRuntime, Runtime, free_port, running

KEY = "operator-" + "0123456789abcdef" * 3


@pytest.fixture(scope="module")
def guarded() -> Iterator[Runtime]:
    """A runtime that asks for tokens."""
    with Runtime(env={"SVC_AUTH_ENABLED": "true", "SVC_AUTH_API_KEY": KEY}) as runtime:
        yield runtime


def token_of(runtime: Runtime, role: str, tenant: str | None = None) -> dict[str, str]:
    with runtime.client(token=KEY, tenant=tenant) as operator:
        name = f"{role}-{time.monotonic_ns()}"
        made: dict[str, str] = operator.request(
            "POST", "/tokens", json={"name": name, "role": role}
        )
        return made


def test_each_role_may_do_what_is_its_own(guarded: Runtime, name: str) -> None:
    tokens = {role: token_of(guarded, role)["token"] for role in ("developer", "worker", "viewer")}

    @function(name)
    async def served(ctx: FunctionContext) -> dict[str, Any]:
        return {"done": await ctx.step("do", lambda: True)}

    with guarded.client(token=tokens["developer"]) as developer:
        developer.workflows.register(served)
        # A worker's token may not register, and works on what others registered.
        with guarded.working(functions=[served], token=tokens["worker"]):
            handle = developer.start(name)
            assert handle.result(20) == {"done": True}
    with guarded.client(token=tokens["viewer"]) as viewer:
        assert viewer.whoami()["role"] == "viewer"
        assert viewer.executions.get(handle.id)["status"] == "completed"
        with pytest.raises(PermissionDeniedError) as denied:
            viewer.start(name)
        assert denied.value.status == 403
    with guarded.client(token=tokens["worker"]) as worker, pytest.raises(PermissionDeniedError):
        worker.executions.get(handle.id)


def test_missing_wrong_and_revoked_tokens_are_explained(guarded: Runtime) -> None:
    with guarded.client() as client, pytest.raises(AuthenticationError, match="no token was sent"):
        client.whoami()
    with (
        guarded.client(token="wrong") as client,
        pytest.raises(AuthenticationError, match="does not accept this token"),
    ):
        client.whoami()
    made = token_of(guarded, "worker")
    worker = Worker(
        url=guarded.url, token=made["token"], tools=[tool("a.b")(lambda _: None)], stop_seconds=1
    )
    with pytest.raises(WorkerRefusedError, match="does not accept this token"):
        run_until_revoked(worker, guarded, made["token_id"])


def test_a_worker_of_another_tenant_and_of_none_learns_what_to_do(guarded: Runtime) -> None:
    token = token_of(guarded, "worker")["token"]
    served = [tool("a.b")(lambda _: None)]
    with pytest.raises(
        WorkerRefusedError, match=r"Leave Worker\(tenant=…\) out, or pass a token of"
    ):
        Worker(url=guarded.url, token=token, tenant="acme", tools=served).run()
    with pytest.raises(WorkerRefusedError, match='Create it with "svc tenant create"'):
        Worker(url=guarded.url, token=KEY, tenant="nobody", tools=served).run()


def test_a_worker_names_the_functions_that_it_may_not_register_once(
    guarded: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    @function("one")
    async def one(ctx: FunctionContext) -> None: ...

    @function("two")
    async def two(ctx: FunctionContext) -> None: ...

    token = token_of(guarded, "worker")["token"]
    with caplog.at_level("WARNING"), guarded.working(functions=[one, two], token=token):
        pass
    warned = [line.message for line in caplog.records if "may not register" in line.message]
    assert warned == [
        "the token may not register functions: register them once with a token of the role "
        "developer or operator: one, two"
    ]


def test_a_worker_says_again_with_how_long_it_has_tried_that_nothing_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @function("one")
    async def one(ctx: FunctionContext) -> None: ...

    nobody = f"http://127.0.0.1:{free_port()}"

    def told(what: str, line: str) -> bool:
        return re.match(rf"{what}, trying again for \d+ s: no answer", line) is not None

    def has_told() -> bool:
        lines = [record.message for record in caplog.records]
        return all(
            any(told(what, line) for line in lines) for what in ("cannot register", "cannot claim")
        )

    registering = Worker(url=nobody, functions=[one], stop_seconds=1)
    claiming = Worker(url=nobody, tools=[tool("a.b")(lambda _: None)])
    # A worker that cannot register is never ready.
    thread = threading.Thread(target=registering.run)
    thread.start()
    with running(claiming):
        deadline = time.monotonic() + 40
        while not has_told() and time.monotonic() < deadline:
            time.sleep(0.01)
    registering.stop()
    thread.join()
    assert has_told()


def run_until_revoked(worker: Worker, guarded: Runtime, token_id: str) -> None:
    with running(worker), guarded.client(token=KEY) as operator:
        operator.request("DELETE", f"/tokens/{token_id}")
        deadline = time.monotonic() + 40
        while worker.wait_until_ready(0):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_tenants_see_nothing_of_each_other(guarded: Runtime, name: str) -> None:
    other = f"tenant-{name}"
    with guarded.client(token=KEY) as operator:
        operator.request("POST", "/tenants", json={"id": other, "name": other})
    own = token_of(guarded, "developer")["token"]
    theirs = token_of(guarded, "developer", other)["token"]
    with guarded.client(token=own) as ours, guarded.client(token=theirs) as strangers:
        store = SvcStore(ours)
        store.put(("memories", "ada"), "1", {"text": "likes tea"})
        (log,) = ours.executions.list(q='workflow ~ "langgraph.items."')
        with pytest.raises(NotFoundError):
            strangers.executions.get(log["execution_id"])
        stranger = SvcStore(strangers)
        assert stranger.search(("memories", "ada")) == []
        stranger.put(("memories", "ada"), "1", {"text": "likes cake"})
        (kept,) = SvcStore(ours).search(("memories", "ada"))
    assert kept.value == {"text": "likes tea"}


@contextmanager
def proxy(target: str, prefix: str) -> Iterator[str]:
    """A proxy that serves the runtime below a path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            content = self.rfile.read(length)
            if not self.path.startswith(f"{prefix}/"):
                self.send_error(404)
                return
            headers = {key: one for key, one in self.headers.items() if key.lower() != "host"}
            self.close_connection = True
            with httpx.stream(
                self.command,
                target + self.path.removeprefix(prefix),
                content=content,
                headers=headers,
                timeout=60,
            ) as answer:
                self.send_response(answer.status_code)
                for key, one in answer.headers.items():
                    if key in ("content-type", "retry-after", "x-request-id"):
                        self.send_header(key, one)
                self.send_header("connection", "close")
                self.end_headers()
                for chunk in answer.iter_bytes():
                    self.wfile.write(chunk)
                    self.wfile.flush()

        do_GET = do_POST = do_PUT = do_DELETE = forward

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()


def test_client_and_worker_work_behind_a_prefix(svc: Runtime, name: str) -> None:
    @function(name)
    async def served(ctx: FunctionContext) -> dict[str, Any]:
        await ctx.sleep(0.05)
        return {"done": await ctx.step("do", lambda: True)}

    with proxy(svc.url, "/team/svc") as url:
        worker = Worker(url=f"{url}/", functions=[served], stop_seconds=1)
        with running(worker), Client(url) as client:
            handle = client.start(name)
            kinds = [event["kind"] for event in handle.events()]
            assert kinds[-1] == "WorkflowCompleted"
            assert handle.result(20) == {"done": True}
            stored = client.artifacts.put(b"bytes", "text/plain")
            assert client.artifacts.get(stored["hash"]) == b"bytes"
        with (
            Client(url.removesuffix("/svc")) as wrong,
            pytest.raises(ConnectionFailedError, match="check the address"),
        ):
            wrong.whoami()


@dataclass
class Order:
    id: str
    amount: int


def test_a_typo_in_a_key_is_refused_with_the_key(svc: Runtime, client: Client, name: str) -> None:
    with pytest.raises(TypeError, match="stauts"):
        client.executions.list(stauts="failed")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="quue"):
        FunctionOptions(quue="gpu")  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="no member 'amuont'; it is a Order"):
        _ = Workflow(name, state=Order).state.amuont  # type: ignore[attr-defined]
    with pytest.raises(ValidationError, match="did you mean status"):
        next(client.executions.list(q="stauts = failed"))
    with pytest.raises(ValidationError, match='did you mean "description"'):
        client.workflows.register(self_described(name), strict=True)
    registered = client.workflows.register(self_described(name))
    assert [one["pointer"] for one in registered["warnings"]] == ["/descripton"]
    with pytest.raises(ValidationError, match="required property 'amount'"):
        client.start(name, {"id": "A-1", "amuont": 1})
    (verdict,) = client.start_many([{"worklow_id": name}])
    assert 'did you mean "workflow_id"' in verdict["error"]
    with pytest.raises(RuntimeError, match=r"did you mean scheduler\.lease_seconds"):
        ClockRuntime(settings={"scheduler.lease_secnds": 2})


def self_described(name: str) -> Workflow[Order]:
    workflow = Workflow(name, state=Order, descripton="an order")
    workflow.set("done", {"done": True})
    return workflow


def test_a_worker_warns_of_a_member_that_the_runtime_does_not_know(
    svc: Runtime, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    @function(name, FunctionOptions(workflow={"tokn_budget": 5}))
    async def served(ctx: FunctionContext) -> None:
        return None

    with caplog.at_level(logging.WARNING, "svc_sdk.worker"), svc.working(functions=[served]):
        pass
    assert f'the function {name}: unknown field "tokn_budget" is ignored' in caplog.text
    assert "(at /tokn_budget)" in caplog.text
