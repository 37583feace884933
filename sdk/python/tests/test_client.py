from __future__ import annotations

import asyncio
import json
import runpy
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc_sdk import AsyncClient, Client, RetryPolicy
from svc_sdk.client import answers
from svc_sdk.errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    ExecutionCancelledError,
    ExecutionFailedError,
    LimitError,
    NotFoundError,
    TimedOutError,
    ValidationError,
)
from svc_sdk.testing import Runtime, free_port
from svc_sdk.workflow import Concurrency

PACKAGE = Path(__file__).parents[1]
QUICK = RetryPolicy(base=0.001)
GREETING = {"text": {"expr": '"Hello, " + state.name'}}


def define(client: Client, name: str) -> None:
    nodes = {"greet": {"kind": {"type": "pass", "output": GREETING}}}
    client.workflows.register({"workflow_id": name, "nodes": nodes})


def define_wait(client: Client, name: str) -> None:
    kind = {"type": "wait", "condition": "external_event", "correlation_key": "paid"}
    node = {"kind": kind, "output_key": "paid"}
    client.workflows.register({"workflow_id": name, "nodes": {"paid": node}})


def test_start_result_and_run(client: Client, name: str) -> None:
    define(client, name)
    handle = client.start(name, {"name": "Ada"})
    assert handle.result(20)["text"] == "Hello, Ada"
    assert client.run(name, {"name": "Bo"}, timeout=20)["text"] == "Hello, Bo"
    assert handle.describe()["status"] == "completed"


def test_a_start_with_the_same_key_gives_the_same_execution(client: Client, name: str) -> None:
    define(client, name)
    first = client.start(name, {"name": "Ada"}, idempotency_key=name)
    second = client.start(name, {"name": "Ada"}, idempotency_key=name)
    assert first.id == second.id


def test_an_execution_is_found_by_its_labels(client: Client, name: str) -> None:
    define(client, name)
    handle = client.start(name, {"name": "Ada"}, labels={"customer": name, "tier": "gold"})
    client.start(name, {"name": "Bo"}, labels={"tier": "gold"})
    found = list(client.executions.list(q=f'labels.customer = "{name}" and labels.tier = gold'))
    assert [one["execution_id"] for one in found] == [handle.id]
    assert handle.describe()["labels"] == {"customer": name, "tier": "gold"}


def test_failures_are_listed_by_cause_and_each_group_lists_its_own(
    client: Client, name: str
) -> None:
    refuse = {"kind": {"type": "fail", "message": "refused 17 times"}}
    client.workflows.register({"workflow_id": name, "nodes": {"no": refuse}})
    failed = [client.start(name, {}) for _ in range(2)]
    for handle in failed:
        with pytest.raises(ExecutionFailedError):
            handle.result(timeout=20)
    (group,) = client.failures.list(workflow_id=name, members=1)
    assert group["cause"] == "refused … times"
    assert group["node_id"] == "no"
    assert group["count"] == 2
    assert len(group["members"]) == 1
    members = client.failures.of_group(group["id"], workflow_id=name, limit=1)
    assert {one["execution_id"] for one in members} == {handle.id for handle in failed}


def test_an_execution_begins_later(client: Client, name: str) -> None:
    define(client, name)
    begins = datetime(2099, 1, 31, 9, tzinfo=timezone(timedelta(hours=2)))
    waiting = client.start(name, {"name": "Ada"}, start_after=begins).describe()["waiting_for"]
    assert waiting is not None
    assert waiting["kind"] == "start_after"
    assert waiting["until"] == "2099-01-31T07:00:00.000Z"
    assert client.run(name, {"name": "Bo"}, start_after=0.05, timeout=20)["text"] == "Hello, Bo"
    with pytest.raises(ValidationError, match="start_deadline must be later"):
        client.start(name, {"name": "Ada"}, start_after=60, start_deadline=timedelta(seconds=1))


def test_starts_bring_rules_of_flow_control(client: Client, name: str) -> None:
    define(client, name)
    key = "input.name"
    client.start(name, {"name": "Ada"}, rate={"key": key, "limit": 1, "per": "1d"})
    paced = client.start(name, {"name": "Ada"}, rate={"key": key, "limit": 1, "per": "1d"})
    waiting = paced.describe()["waiting_for"]
    assert waiting is not None
    assert (waiting["kind"], waiting["key"]) == ("rate", "Ada")
    limited: Concurrency = {"key": key, "limit": 1, "when_full": "refuse"}
    gathered = client.start(name, {"name": "Bo"}, batch={"key": key, "max": 2, "wait": "1h"})
    assert client.run(name, {"name": "Bo"}, concurrency=limited, timeout=20)["text"] == "Hello, Bo"
    displaced = client.start(name, {"name": "Cy"}, debounce={"key": "'one'", "wait": "1h"})
    [verdict] = client.start_many(
        [
            {
                "workflow_id": name,
                "input": {"name": "Di"},
                "debounce": {"key": "'one'", "wait": "1h"},
            }
        ]
    )
    assert verdict["status"] == 201
    with pytest.raises(ExecutionCancelledError, match=verdict["execution_id"]):
        displaced.result(20)
    gathers = gathered.describe()["waiting_for"]
    assert gathers is not None
    assert gathers["kind"] == "batch"
    fair = client.start(name, {"name": "Ed"}, fairness={"key": key, "weight": 2})
    [started, *_] = fair.events()
    assert started["payload"]["start_rules"] == {"fairness": {"key": key, "weight": 2}}
    with pytest.raises(ValidationError, match="unknown variable Ada"):
        client.start(name, {"name": "Ada"}, concurrency={"key": "Ada", "limit": 1})


def test_start_many_gives_a_verdict_for_each(client: Client, name: str) -> None:
    define(client, name)
    entries = [{"workflow_id": name, "input": {"name": str(at)}} for at in range(1200)]
    entries[3] = {"workflow_id": "missing-" + name, "input": {}}
    verdicts = client.start_many(entries)
    assert len(verdicts) == 1200
    assert len({one.get("execution_id") for one in verdicts}) == 1200
    assert verdicts[3]["status"] == 404


def test_lists_read_page_by_page(client: Client, name: str) -> None:
    define(client, name)
    ids = {client.start(name, {"name": "x"}).id for _ in range(5)}
    found = [one["execution_id"] for one in client.executions.list(workflow_id=name, limit=2)]
    assert len(found) == 5
    assert set(found) == ids


def test_events_come_once_and_in_order_up_to_the_end(client: Client, name: str) -> None:
    define_wait(client, name)
    handle = client.start(name)
    sequences: list[int] = []
    for event in handle.events():
        sequences.append(event["sequence"])
        if event["kind"] == "ExternalEventWaiting":
            handle.send_event("paid", {"amount": 12})
    assert sequences == [event["sequence"] for event in handle.history()]
    assert sequences == sorted(set(sequences))
    later = [event["sequence"] for event in handle.events(after=sequences[1])]
    assert later == sequences[2:]
    assert handle.result(20) == {"amount": 12}


def test_pause_resume_cancel_and_the_errors_of_result(client: Client, name: str) -> None:
    define_wait(client, name)
    handle = client.start(name)
    with pytest.raises(TimedOutError, match="it continues") as late:
        handle.result(0.05)
    assert late.value.execution_id == handle.id
    assert isinstance(late.value, TimeoutError)
    handle.pause("lunch")
    assert handle.describe()["status"] == "paused"
    handle.resume()
    assert "waiting" in json.dumps(handle.explain())
    handle.cancel()
    with pytest.raises(ExecutionCancelledError):
        handle.result(20)


def test_errors_are_typed_and_say_what_to_do(client: Client, name: str) -> None:
    with pytest.raises(NotFoundError) as missing:
        client.executions.get("exec_00000000000000000000000000000000")
    assert (missing.value.code, missing.value.status) == ("not_found", 404)
    assert missing.value.request_id is not None
    with pytest.raises(ValidationError):
        client.workflows.register({"workflow_id": name, "nodes": {"a": {"kind": "unknown"}}})
    with pytest.raises(ValidationError, match=r"body\.input\.at\[0\] is a bytes") as unsent:
        client.start(name, {"at": [b""]})
    assert unsent.value.code == "not_json"
    other, _ = fake(httpx.Response(404, text="nothing here"))
    with pytest.raises(ConnectionFailedError, match=r"is not svc.*check the address and the port"):
        other.whoami()


def test_a_fork_carries_an_execution_up_to_a_node(client: Client, name: str) -> None:
    kind = {"type": "pass", "output": {"n": {"expr": "state.n"}}}
    client.workflows.register({"workflow_id": name, "nodes": {"tell": {"kind": kind}}})
    first = client.start(name, {"n": 1})
    first.result()
    preview = first.preview_fork("tell")
    assert (preview["begins"], preview["kept"]) == (["tell"], [])
    fork = first.fork("tell", patch={"n": 2}, idempotency_key=name)
    fork.result()
    assert first.fork("tell", patch={"n": 2}, idempotency_key=name).id == fork.id
    origin = fork.describe()["forked_from"]
    assert origin is not None
    assert origin["execution_id"] == first.id
    assert [one["execution_id"] for one in first.forks()] == [fork.id]


def test_no_service_at_the_port_is_said() -> None:
    with (
        Client(f"http://127.0.0.1:{free_port()}", retry=QUICK) as client,
        pytest.raises(ConnectionFailedError, match='start it with "svc dev"') as failed,
    ):
        client.whoami()
    assert failed.value.never_sent


def test_the_environment_and_arguments_name_the_service(
    svc: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_URL", svc.url)
    with Client() as client:
        assert client.whoami()["tenant_id"] == "default"
    with pytest.raises(ValueError, match="url must be an address"):
        Client("localhost:7700")
    with pytest.raises(ValueError, match="the token is empty"):
        Client(svc.url, token="a b").whoami()


def answering(*answers: httpx.Response) -> tuple[httpx.MockTransport, list[httpx.Request]]:
    """A service that is a fake beside the tests: it gives these answers, one after the other."""
    left, requests = iter(answers), list[httpx.Request]()

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return next(left)

    return httpx.MockTransport(answer), requests


def fake(*answers: httpx.Response, **options: Any) -> tuple[Client, list[httpx.Request]]:
    transport, requests = answering(*answers)
    return Client("http://svc.test", transport=transport, retry=QUICK, **options), requests


def test_a_start_is_sent_again_under_the_same_key() -> None:
    client, requests = fake(
        httpx.Response(503, json={"error": "starting"}),
        httpx.Response(429, json={"error": "slow down"}, headers={"retry-after": "0"}),
        httpx.Response(201, json={"execution_id": "exec_1"}),
    )
    assert client.start("order").id == "exec_1"
    assert len({request.headers["idempotency-key"] for request in requests}) == 1
    assert len(requests) == 3


def test_an_approval_is_sent_once_as_it_may_have_arrived() -> None:
    client, requests = fake(httpx.Response(503, json={"error": "starting"}))
    with pytest.raises(Exception, match="starting"):
        client.execution("exec_1").approve()
    assert len(requests) == 1


def test_token_and_tenant_are_sent_and_a_refused_token_is_explained() -> None:
    client, requests = fake(
        httpx.Response(401, json={"error": "unauthorized"}), token=lambda: "t-1", tenant="acme"
    )
    with pytest.raises(AuthenticationError, match="does not accept this token"):
        client.whoami()
    assert requests[0].headers["authorization"] == "Bearer t-1"
    assert requests[0].headers["x-tenant-id"] == "acme"
    for status, kind in ((402, LimitError), (409, ConflictError)):
        client, _ = fake(httpx.Response(status, json={"error": "used up"}))
        with pytest.raises(kind, match="used up"):
            client.whoami()


def test_a_broken_stream_is_opened_again_where_it_ended() -> None:
    def stream(*sequences: int, kind: str = "NodeStarted") -> httpx.Response:
        text = "".join(
            f"id: {at}\ndata: {json.dumps({'sequence': at, 'kind': kind})}\n\n" for at in sequences
        )
        return httpx.Response(200, text=text, headers={"content-type": "text/event-stream"})

    client, requests = fake(stream(1, 2), stream(2, 3), stream(4, kind="WorkflowCompleted"))
    found = [event["sequence"] for event in client.execution("exec_1").events()]
    assert found == [1, 2, 3, 4]
    assert [one.headers.get("last-event-id") for one in requests] == [None, "2", "3"]


def test_the_asynchronous_client_does_the_same(svc: Runtime, client: Client, name: str) -> None:
    define_wait(client, name)

    async def work() -> Any:
        async with AsyncClient(svc.url) as own:
            handle = await own.start(name)
            async for event in handle.events():
                if event["kind"] == "ExternalEventWaiting":
                    await handle.send_event("paid", {"amount": 1})
            listed = [one async for one in own.executions.list(workflow_id=name)]
            assert [one["execution_id"] for one in listed] == [handle.id]
            return await handle.result(20)

    assert asyncio.run(work()) == {"amount": 1}


def test_the_synchronous_client_is_written_from_the_asynchronous_one() -> None:
    assert rendered_by("write_sync_client.py") == written("sync.py")


def test_the_types_of_answers_are_written_from_the_openapi_document() -> None:
    assert rendered_by("write_answers.py") == written("answers.py")


def rendered_by(script: str) -> str:
    render: Callable[[], str] = runpy.run_path(str(PACKAGE / "scripts" / script))["render"]
    return render()


def written(file: str) -> str:
    return (PACKAGE / "src" / "svc_sdk" / "client" / file).read_text()


def test_several_approvals_are_decided_with_one_reason(client: Client, name: str) -> None:
    node = {"kind": {"type": "human_approval"}, "output_key": "asked"}
    client.workflows.register({"workflow_id": name, "nodes": {"ask": node}})
    handles = [client.start(name), client.start(name)]

    def pending() -> list[answers.Approval]:
        return list(client.approvals.list(workflow_id=name, node_id="ask"))

    deadline = time.monotonic() + 20
    while len(pending()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    verdicts = client.approvals.decide(
        [
            {"execution_id": handles[0].id, "decision": "approved"},
            {"execution_id": handles[1].id, "decision": "approved", "comment": "mine"},
            {"execution_id": handles[0].id, "decision": "rejected"},
        ],
        comment="all fine",
    )
    assert [one["accepted"] for one in verdicts] == [True, True, False]
    assert [handle.result(20)["comment"] for handle in handles] == ["all fine", "mine"]


def test_the_state_is_read_as_it_was(client: Client, name: str) -> None:
    define_wait(client, name)
    handle = client.start(name, {"order": 7})
    handle.send_event("paid", {"amount": 1})
    handle.result(20)
    (started, *_) = handle.history()
    assert handle.state(at=1)["state"] == {"order": 7}
    assert handle.state(at=started["created_at"])["sequence"] >= 1
    assert handle.state()["state"]["paid"] == {"amount": 1}
    difference = handle.state_diff(1)
    assert [one["path"] for one in difference["changes"]] == ["/paid"]
    blamed = {one["key"]: one for one in handle.state_blame()["keys"]}
    assert blamed["order"]["kind"] == "WorkflowStarted"
    cause = blamed["paid"]["cause"]
    assert cause is not None
    assert cause["kind"] == "ExternalEventReceived"


def test_answers_have_the_members_that_their_types_say(client: Client, name: str) -> None:
    define_wait(client, name)
    handle = client.start(name)
    deadline = time.monotonic() + 20
    while not (described := handle.describe())["waiting_on"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert described["waiting_on"][0]["waiting_for"] == "event"
    assert described["error"] is None
    (event, *_) = handle.history()
    assert event["created_at"] <= described["updated_at"]
    for found, kind in (
        (described, answers.Execution),
        (event, answers.Event),
        (client.whoami(), answers.Identity),
        (next(client.workflows.list()), answers.WorkflowSummary),
        (next(client.executions.list()), answers.ExecutionSummary),
        (handle.explain(), answers.Explanation),
        (handle.approvals(), answers.ExecutionApprovals),
        (handle.state(), answers.ExecutionState),
        (handle.state_diff(), answers.StateDifference),
        (handle.state_blame(), answers.StateBlame),
    ):
        optional = {key for key, hint in kind.__annotations__.items() if "NotRequired" in str(hint)}
        assert set(kind.__annotations__) - optional <= set(found) <= set(kind.__annotations__)
