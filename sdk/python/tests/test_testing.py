"""The test kit: the clock, other results for steps and tools, and replays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from svc_sdk import Client, FunctionContext, Retry, StepContext, function
from svc_sdk.errors import ExecutionFailedError, NonDeterminismError, TimedOutError
from svc_sdk.testing import (
    ClockRuntime,
    Runtime,
    mock_steps,
    mock_tool,
    recorded_steps,
    replay_history,
)

from .conftest import REPOSITORY

START = datetime(2030, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def clock() -> Iterator[ClockRuntime]:
    with ClockRuntime(start_at=START) as runtime:
        yield runtime


def test_days_pass_as_soon_as_the_test_says_so(clock: ClockRuntime, name: str) -> None:
    @function(name)
    async def wait(ctx: FunctionContext) -> dict[str, Any]:
        began = ctx.now()
        await ctx.sleep(timedelta(days=3))
        await ctx.step("between", lambda: None)
        await ctx.sleep_until(began + timedelta(days=30))
        return {"days": round((ctx.now() - began).total_seconds() / 86_400, 2)}

    began = time.monotonic()
    with clock.working(functions=[wait]), clock.client() as client:
        handle = client.start(wait)
        clock.settle()
        clock.advance(timedelta(days=2))
        assert [step.kind for step in recorded_steps(handle.history())] == ["value"]
        clock.advance(timedelta(days=2))
        names = [step.name for step in recorded_steps(handle.history())]
        assert names == ["now", "sleep", "between"]
        clock.advance(timedelta(days=27))
        assert handle.result(5) == {"days": 30.0}
    assert time.monotonic() - began < 60
    assert clock.now() >= START + timedelta(days=31)


def test_a_long_back_off_and_a_time_limit_follow_the_clock(clock: ClockRuntime, name: str) -> None:
    attempts: list[datetime] = []

    @function(name)
    async def pay(ctx: FunctionContext) -> dict[str, Any]:
        def charge() -> str:
            attempts.append(clock.now())
            if len(attempts) < 2:
                raise ValueError("the bank is closed")
            return "paid"

        retry = Retry(initial_interval=timedelta(hours=10), max_interval=timedelta(hours=10))
        return {"charge": await ctx.step("charge", charge, retry=retry)}

    with clock.working(functions=[pay]), clock.client() as client:
        handle = client.start(pay)
        clock.settle()
        assert len(attempts) == 1
        with pytest.raises(TimedOutError):
            handle.result(0)
        clock.advance(timedelta(hours=11))
        assert handle.result(5) == {"charge": "paid"}
    assert attempts[1] - attempts[0] >= timedelta(hours=10)


@dataclass
class Receipt:
    amount: int


def charge(amount: int) -> Receipt:
    raise AssertionError(f"{amount} must not be charged in a test")


def test_steps_have_the_results_that_the_test_gives(svc: Runtime, name: str) -> None:
    @function(name)
    async def order(ctx: FunctionContext) -> dict[str, Any]:
        def pay() -> Receipt:
            return charge(5)

        async def ship() -> str:
            return await ctx.step("ship", lambda: "really")

        receipt = await ctx.step("charge", pay)
        await ctx.sleep(0.05)
        (shipped,) = await ctx.gather(ship)
        kept = await ctx.step("keep", lambda: "kept")
        return {"amount": receipt.amount, "shipped": shipped, "kept": kept}

    mocks = {"charge": {"amount": 7}, "ship": lambda step: f"attempt {step.attempt}"}
    with svc.working(functions=[order], steps=mocks), svc.client() as client:
        output = client.run(order, timeout=20)
    assert output == {"amount": 7, "shipped": "attempt 1", "kept": "kept"}


def test_steps_and_tools_raise_what_the_test_gives(svc: Runtime, name: str) -> None:
    @function(name)
    async def fail(ctx: FunctionContext) -> None:
        await ctx.step("charge", lambda: "paid", retry=Retry(max_attempts=1))

    failing = mock_steps(fail, {"charge": ValueError("declined")})
    kind = {"type": "python_fn", "module": name, "function": "charge"}
    nodes = {"run": {"kind": kind, "output_key": "out"}}
    paid = mock_tool(f"{name}.charge", {"charged": 1})
    with svc.working(functions=[failing], tools=[paid]), svc.client() as client:
        with pytest.raises(ExecutionFailedError, match="declined"):
            client.run(fail, timeout=20)
        client.workflows.register({"workflow_id": f"{name}-tool", "nodes": nodes})
        assert client.run(f"{name}-tool", timeout=20) == {"charged": 1}


@pytest.fixture
def recorded(svc: Runtime, name: str) -> list[dict[str, Any]]:
    """The history of a function that waits for an event."""

    @function(name)
    async def first(ctx: FunctionContext, order: dict[str, Any]) -> None:
        await ctx.step("reserve", lambda: order["id"])
        await ctx.step("charge", lambda: "charged")
        await ctx.wait_event("parcel")

    with svc.working(functions=[first]), svc.client() as client:
        handle = client.start(first, {"id": "A-1"})
        deadline = time.monotonic() + 20
        while handle.describe()["status"] != "paused":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return [{**event} for event in handle.history()]


def test_a_replay_runs_no_step_and_accepts_code_that_goes_on(
    recorded: list[dict[str, Any]], name: str
) -> None:
    ran: list[str] = []
    seen: list[Any] = []

    @function(name)
    async def longer(ctx: FunctionContext, order: dict[str, Any]) -> None:
        def run(step: StepContext) -> Any:
            ran.append(step.idempotency_key)

        seen.append((order, await ctx.step("reserve", run)))
        await ctx.step("charge", run)
        await ctx.step("later", run)

    replay_history(longer, recorded)
    assert seen == [({"id": "A-1"}, "A-1")]
    assert ran == []


def test_a_replay_reports_the_first_difference(recorded: list[dict[str, Any]], name: str) -> None:
    @function(name)
    async def other(ctx: FunctionContext, order: dict[str, Any]) -> None:
        await ctx.step("reserve", lambda: None)
        await ctx.step("check", lambda: None)
        await ctx.step("charge", lambda: None)

    @function(name)
    async def shorter(ctx: FunctionContext, order: dict[str, Any]) -> None:
        await ctx.step("reserve", lambda: None)

    with pytest.raises(NonDeterminismError) as different:
        replay_history(other, recorded)
    assert (different.value.recorded, different.value.asked) == ('step "charge"', 'step "check"')
    with pytest.raises(NonDeterminismError, match="nothing more"):
        replay_history(shorter, recorded)
    with pytest.raises(ValueError, match="no recorded steps"):
        replay_history(other, recorded, node_id="elsewhere")


def test_a_replay_of_a_continued_function_begins_with_the_input_of_its_visit(
    svc: Runtime, name: str
) -> None:
    @function(name)
    async def count(ctx: FunctionContext, given: dict[str, Any]) -> dict[str, Any]:
        total = await ctx.step("add", lambda: given["n"] + 1)
        if total < 3:
            ctx.continue_as_new({"n": total})
        return {"n": total}

    with svc.working(functions=[count]), svc.client() as client:
        handle = client.start(count, {"n": 0})
        assert handle.result(20) == {"n": 3}
        events = [{**event} for event in handle.history()]
    seen: list[Any] = []

    @function(name)
    async def again(ctx: FunctionContext, given: dict[str, Any]) -> None:
        seen.append(given)
        await ctx.step("add", lambda: 0)

    replay_history(again, events)
    assert seen == [{"n": 2}]


CODE = """
from svc_sdk import FunctionContext, Worker
worker = Worker()

@worker.function("NAME")
async def served(ctx: FunctionContext, order: dict):
    await ctx.step("reserve", lambda: None)
    await ctx.step("STEP", lambda: None)
    await ctx.wait_event("parcel")
"""


def test_the_program_replays_a_file_and_an_execution(
    svc: Runtime, recorded: list[dict[str, Any]], name: str, tmp_path: Path
) -> None:
    (tmp_path / "same.py").write_text(CODE.replace("NAME", name).replace("STEP", "charge"))
    (tmp_path / "other.py").write_text(CODE.replace("NAME", name).replace("STEP", "check"))
    (tmp_path / "history.json").write_text(json.dumps({"events": recorded}))

    def replay(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "svc_sdk.replay", *arguments],
            cwd=tmp_path,
            env={
                **os.environ,
                "SVC_URL": svc.url,
                "PYTHONPATH": str(REPOSITORY / "sdk" / "python" / "src"),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    id = recorded[0]["execution_id"]
    assert replay("history.json", "same") == (0, f"{name} fits history.json.\n")
    assert replay(id, "same.py:served") == (0, f"{name} fits {id}.\n")
    code, said = replay(id, "other.py")
    assert code == 1
    assert 'has step "charge", and the code asks for step "check"' in said
    code, said = replay("history.json", "same:nothing")
    assert (code, f"it has: {name}" in said) == (2, True)
    assert replay("missing.json", "same")[0] == 2


def test_a_replay_has_the_large_values_whole(svc: Runtime, client: Client, name: str) -> None:
    from svc_sdk.replay import _read_events

    @function(name)
    async def large(ctx: FunctionContext) -> None:
        await ctx.step("read", lambda: {"text": "long" * 50_000})
        await ctx.wait_event("end")

    with svc.working(functions=[large]):
        handle = client.start(large)
        deadline = time.monotonic() + 20
        while handle.describe()["status"] != "paused":
            assert time.monotonic() < deadline
            time.sleep(0.02)
    seen: list[int] = []

    @function(name)
    async def again(ctx: FunctionContext) -> None:
        def read() -> dict[str, str]:
            return {}

        seen.append(len((await ctx.step("read", read))["text"]))
        await ctx.wait_event("end")

    replay_history(again, _read_events(handle.id, svc.url))
    assert seen == [200_000]
