from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from svc_sdk import (
    Client,
    ExecutionHandle,
    Fatal,
    Function,
    FunctionContext,
    FunctionOptions,
    Retry,
    StepContext,
    StepError,
    WaitTimeoutError,
    function,
)
from svc_sdk.errors import ChildError, ExecutionCancelledError, ExecutionFailedError
from svc_sdk.functions.run_turn import Outcome
from svc_sdk.testing import Runtime

Json = dict[str, Any]


@dataclass
class Flight:
    code: str
    seats: list[int]


def find_flight() -> Flight:
    return Flight("LH1", [4, 5])


def until_suspended(handle: ExecutionHandle) -> None:
    for event in handle.events():
        if event["kind"] == "NodeSuspended":
            return
    raise AssertionError("the function ended")


def steps_of(handle: ExecutionHandle) -> list[tuple[str, str]]:
    return [
        (entry["kind"], entry["identity"])
        for event in handle.history()
        if event["kind"] == "StepRecorded"
        for entry in event["payload"]["entries"]
    ]


def run(svc: Runtime, made: Function[Any, Any], input: object = None) -> Any:
    with svc.working(functions=[made]), svc.client() as client:
        return client.run(made, input, timeout=30)


@pytest.mark.parametrize("durability", ["each", "end"])
def test_an_entry_that_the_runtime_refuses_takes_no_others_with_it(
    svc: Runtime, name: str, durability: Literal["each", "end"]
) -> None:
    @function(name)
    async def mixed(ctx: FunctionContext, _: Json) -> Json:
        await ctx.step("good", lambda: 1, durability=durability)
        await ctx.step("bad", lambda: {"constructor": 1}, durability=durability)
        await ctx.step("better", lambda: 2, durability=durability)
        return {}

    @function(f"{name}-plain")
    async def plain(ctx: FunctionContext, _: Json) -> Json:
        return {"ok": True}

    with svc.working(functions=[mixed, plain], concurrency=1), svc.client() as client:
        handle = client.start(mixed, {})
        with pytest.raises(ExecutionFailedError, match='does not take step "bad": '):
            handle.result(30)
        recorded = ["good"] if durability == "each" else ["good", "better"]
        assert steps_of(handle) == [("step", one) for one in recorded]
        assert client.run(plain, {}, timeout=30) == {"ok": True}


@pytest.mark.parametrize("ending", ["complete", "fail", "continue"])
def test_the_log_tells_once_that_the_runtime_refuses_an_entry(
    svc: Runtime, name: str, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    @function(name)
    async def mixed(ctx: FunctionContext, _: Json) -> Json:
        await ctx.step("bad", lambda: {"constructor": 1}, durability="end")
        if ending == "fail":
            raise ValueError("declined")
        if ending == "continue":
            ctx.continue_as_new({})
        return {}

    with (
        caplog.at_level(logging.WARNING, "svc_sdk.worker"),
        pytest.raises(ExecutionFailedError, match='does not take step "bad": '),
    ):
        run(svc, mixed, {})
    told = [one.getMessage() for one in caplog.records]
    [refusal] = [line for line in told if line.startswith("the runtime refuses ")]
    refused = "entries" if ending == "fail" else "the result"
    assert refusal.startswith(f"the runtime refuses {refused}: ")
    assert "declined" not in refusal


def test_executions_of_a_function_keep_to_its_concurrency(svc: Runtime, name: str) -> None:
    options = FunctionOptions(concurrency={"key": "input.book", "limit": 1})

    @function(name, options)
    async def lend(ctx: FunctionContext, input: Json) -> Json:
        await ctx.wait_event("back")
        return {}

    with svc.working(functions=[lend]), svc.client() as client:
        client.workflows.register(lend.to_ir())
        first, second = (client.start(lend, {"book": "tides"}) for _ in range(2))
        until_suspended(first)
        waiting = client.executions.get(second.id)["waiting_for"]
        assert waiting is not None
        assert (waiting["kind"], waiting["key"]) == ("concurrency", "tides")
        assert [event["kind"] for event in second.history()] == ["WorkflowStarted"]
        for handle in (first, second):
            until_suspended(handle)
            handle.send_event("back", {})
            handle.result(20)


def test_steps_run_once_and_a_replay_gives_their_typed_results(svc: Runtime, name: str) -> None:
    runs: list[str] = []
    types: list[type] = []

    @function(name)
    async def book(ctx: FunctionContext, input: Json) -> Json:
        async def pay(step: StepContext) -> Json:
            runs.append("pay")
            return {"key": step.idempotency_key, "attempt": step.attempt}

        def find() -> Flight:
            runs.append("find")
            return find_flight()

        find.__annotations__["return"] = Flight
        flight = await ctx.step("find", find)
        types.append(type(flight))
        await ctx.sleep(0.05)
        paid = await ctx.step("pay", pay)
        return {"seat": flight.seats[1], "paid": paid, "turn": ctx.turn, "to": input["to"]}

    output = run(svc, book, {"to": "Lisbon"})
    assert (output["seat"], output["turn"], output["to"]) == (5, 1, "Lisbon")
    assert output["paid"]["attempt"] == 1
    assert len(output["paid"]["key"]) == 64
    assert runs == ["find", "pay"]
    assert types == [Flight, Flight]


def test_a_step_is_tried_again_and_then_raises_step_error(svc: Runtime, name: str) -> None:
    calls: list[int] = []

    @function(name)
    async def book(ctx: FunctionContext) -> Json:
        def flaky(step: StepContext) -> int:
            calls.append(step.attempt)
            if step.attempt < 3:
                raise OSError("down")
            return 7

        def broken() -> None:
            raise Fatal("full")

        value = await ctx.step("flaky", flaky, retry=Retry(initial_interval=0.01))
        try:
            await ctx.step("broken", broken)
        except StepError as error:
            return {"value": value, "error": str(error), "class": error.error_class}
        return {}

    assert run(svc, book) == {"value": 7, "error": "full", "class": "Fatal"}
    assert calls == [1, 2, 3]


def test_the_error_of_a_function_names_the_step_that_failed(svc: Runtime, name: str) -> None:
    @function(name)
    async def order(ctx: FunctionContext) -> None:
        def charge() -> None:
            raise Fatal("declined")

        await ctx.step("charge", charge)

    with pytest.raises(ExecutionFailedError, match="step charge: declined"):
        run(svc, order)


def test_a_step_that_takes_too_long_fails_with_timeout_error(svc: Runtime, name: str) -> None:
    @function(name)
    async def slow(ctx: FunctionContext) -> Json:
        async def hang() -> None:
            await asyncio.sleep(20)

        try:
            await ctx.step("hang", hang, timeout=0.05, retry=Retry(max_attempts=1))
        except StepError as error:
            return {"class": error.error_class}
        return {}

    assert run(svc, slow) == {"class": "TimeoutError"}


def test_now_random_and_uuid_are_the_same_in_each_turn(svc: Runtime, name: str) -> None:
    seen: list[tuple[object, ...]] = []

    @function(name)
    async def values(ctx: FunctionContext) -> None:
        seen.append((ctx.now(), ctx.random(), ctx.uuid(), ctx.uuid()))
        await ctx.sleep(0.02)

    run(svc, values)
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert seen[0][2] != seen[0][3]


def test_branches_name_their_steps_and_run_side_by_side(svc: Runtime, name: str) -> None:
    together = threading.Barrier(3)

    @function(name)
    async def fan(ctx: FunctionContext) -> Json:
        def meet() -> int:
            return together.wait(20)

        async def branch() -> str:
            await ctx.step("meet", meet)
            return "met"

        async def double(item: int) -> int:
            def work() -> int:
                return item * 2

            return await ctx.step("work", work)

        met = await ctx.gather(branch, branch(), ctx.step("meet", meet))
        doubled = await ctx.map([1, 2, 3], double, concurrency=2)
        plain = await asyncio.gather(double(10), double(20))
        return {"met": met[:2], "doubled": doubled, "plain": plain}

    with svc.working(functions=[fan]), svc.client() as client:
        handle = client.start(fan)
        assert handle.result(30) == {
            "met": ["met", "met"],
            "doubled": [2, 4, 6],
            "plain": [20, 40],
        }
        identities = {identity for _, identity in steps_of(handle)}
    assert identities == {
        "all[0]/meet",
        "all[1]/meet",
        "meet",
        "map[0]/work",
        "map[1]/work",
        "map[2]/work",
        "work",
        "work#2",
    }


def test_a_race_has_the_same_winner_in_each_turn(svc: Runtime, name: str) -> None:
    @function(name)
    async def race(ctx: FunctionContext) -> Json:
        async def never() -> str:
            await ctx.wait_event("never")
            return "event"

        async def soon() -> str:
            await ctx.sleep(0.02, "soon")
            return "timer"

        winner = await ctx.race(never, soon)
        await ctx.sleep(0.02, "after")
        return {"winner": winner}

    assert run(svc, race) == {"winner": "timer"}


def test_events_approvals_and_time_outs_of_waits(svc: Runtime, client: Client, name: str) -> None:
    @function(name)
    async def waits(ctx: FunctionContext) -> Json:
        paid = await ctx.wait_event("paid", key=f"{ctx.execution_id}-paid")
        decision = await ctx.approval("ship", description="Ship it?", context={"paid": paid})
        try:
            await ctx.wait_event("late", timeout=0.02)
        except WaitTimeoutError as error:
            return {"paid": paid, "approved": decision.approved, "late": error.wait}
        return {}

    with svc.working(functions=[waits]):
        handle = client.start(waits)
        handle.send_event(f"{handle.id}-paid", {"amount": 3})
        for event in handle.events():
            if event["kind"] == "ApprovalRequested":
                handle.approve("in stock")
        assert handle.result(30) == {"paid": {"amount": 3}, "approved": True, "late": "late"}


@pytest.mark.parametrize("fails", ["late", "child"])
def test_a_recorded_error_that_is_let_through_gets_no_other_attempt(
    svc: Runtime, name: str, fails: Literal["late", "child"]
) -> None:
    @function(f"{name}-child")
    async def child(ctx: FunctionContext, input: Json) -> Json:
        raise Fatal("no")

    @function(name)
    async def parent(ctx: FunctionContext) -> Json:
        if fails == "late":
            await ctx.wait_event("paid", timeout=0.02)
        return await ctx.call(child, {})

    with svc.working(functions=[child, parent]), svc.client() as client:
        handle = client.start(parent)
        with pytest.raises(ExecutionFailedError):
            handle.result(30)
        failures = [event for event in handle.events() if event["kind"] == "NodeFailed"]
        assert [event["payload"]["retryable"] for event in failures] == [False]


def test_call_starts_a_child_and_gives_its_output_or_child_error(svc: Runtime, name: str) -> None:
    @function(f"{name}-child")
    async def child(ctx: FunctionContext, input: Json) -> Json:
        if input["fail"]:
            raise Fatal("no")
        return {"by": "child"}

    @function(name)
    async def parent(ctx: FunctionContext) -> Json:
        good = await ctx.call(child, {"fail": False})
        try:
            await ctx.call(child, {"fail": True}, name="bad")
        except ChildError as error:
            return {**good, "class": error.error_class}
        return {}

    with svc.working(functions=[child, parent]), svc.client() as client:
        assert client.run(parent, timeout=30) == {"by": "child", "class": "child_failed"}


def test_rollbacks_run_in_reverse_order_after_a_failure(svc: Runtime, name: str) -> None:
    done: list[str] = []

    @function(name)
    async def trip(ctx: FunctionContext) -> None:
        for what in ("flight", "hotel"):
            ctx.on_rollback(what, lambda what=what: done.append(f"cancel {what}"))
            await ctx.step(what, lambda what=what: done.append(what))

        def car() -> None:
            raise Fatal("no car")

        await ctx.step("car", car)

    with pytest.raises(ExecutionFailedError, match="no car") as failed:
        run(svc, trip)
    assert done == ["flight", "hotel", "cancel hotel", "cancel flight"]
    assert failed.value.node_id == "run"


def test_a_failed_rollback_gets_another_attempt_unless_it_is_fatal() -> None:
    late = WaitTimeoutError("it came too late", wait="paid")
    assert Outcome("failed", error=late).is_final
    assert not Outcome("failed", error=late, rolls_back=True).is_final
    assert Outcome("failed", error=Fatal("no way back"), rolls_back=True).is_final


def test_rollbacks_run_after_a_cancel(svc: Runtime, client: Client, name: str) -> None:
    done = threading.Event()

    @function(name)
    async def trip(ctx: FunctionContext) -> None:
        ctx.on_rollback("flight", lambda: done.set())
        await ctx.step("flight", lambda: "LH1")
        await ctx.wait_event("never")

    with svc.working(functions=[trip]):
        handle = client.start(trip)
        until_suspended(handle)
        handle.cancel()
        assert done.wait(30)
        with pytest.raises(ExecutionCancelledError):
            handle.result(20)


def test_continue_as_new_begins_another_visit(svc: Runtime, name: str) -> None:
    @function(name)
    async def poll(ctx: FunctionContext, input: Json) -> Json:
        at = int(input.get("at", 0))
        await ctx.step("read", lambda: at)
        if at < 3:
            ctx.continue_as_new({"at": at + 1})
        return {"at": at}

    assert run(svc, poll, {"at": 0}) == {"at": 3}


def test_continue_as_new_is_refused_while_rollbacks_are_registered(svc: Runtime, name: str) -> None:
    @function(name)
    async def poll(ctx: FunctionContext) -> None:
        ctx.on_rollback("it", lambda: None)
        ctx.continue_as_new({})

    with pytest.raises(ExecutionFailedError, match="registered rollbacks") as failed:
        run(svc, poll)
    assert failed.value.error_class == "ContinueAsNewError"


ONE_ATTEMPT = FunctionOptions(
    retry_policy={"max_attempts": 1, "non_retryable_on": ["NonDeterminismError"]}
)


def changed(svc: Runtime, client: Client, old: Function[Any, Any], new: Function[Any, Any]) -> Any:
    """Begins with the old code, up to its wait, and ends with the new code."""
    with svc.working(functions=[old]):
        handle = client.start(old)
        until_suspended(handle)
    with svc.working(functions=[new]):
        handle.send_event("go", {})
        return handle.result(30)


def test_a_function_waits_for_code_that_fits_its_journal(
    svc: Runtime, client: Client, name: str
) -> None:
    @function(name)
    async def old(ctx: FunctionContext) -> dict[str, int]:
        charged = await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")
        return {"charged": charged}

    @function(name)
    async def new(ctx: FunctionContext) -> None:
        await ctx.step("charge twice", lambda: 2)

    with svc.working(functions=[old]):
        handle = client.start(old)
        until_suspended(handle)
    with svc.working(functions=[new]):
        handle.send_event("go", {})
        failed = next(event for event in handle.events() if event["kind"] == "NodeFailed")
    assert failed["payload"]["error_class"] == "NonDeterminismError"
    assert failed["payload"]["retryable"] is True
    with svc.working(functions=[old]):
        assert handle.result(30) == {"charged": 1}


def test_changed_code_is_refused_before_anything_new_runs(
    svc: Runtime, client: Client, name: str
) -> None:
    ran: list[str] = []

    @function(name, ONE_ATTEMPT)
    async def old(ctx: FunctionContext) -> None:
        await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")

    @function(name, ONE_ATTEMPT)
    async def new(ctx: FunctionContext) -> None:
        await ctx.step("check", lambda: ran.append("check"))
        await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")

    with pytest.raises(ExecutionFailedError) as failed:
        changed(svc, client, old, new)
    assert failed.value.error_class == "NonDeterminismError"
    assert 'The journal has step "charge", and the code asks for step "check".' in str(failed.value)
    assert ran == []


def test_code_that_asks_for_less_or_for_another_kind_is_refused(
    svc: Runtime, client: Client, name: str
) -> None:
    @function(name, ONE_ATTEMPT)
    async def old(ctx: FunctionContext) -> None:
        await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")

    @function(name, ONE_ATTEMPT)
    async def less(ctx: FunctionContext) -> None:
        return None

    @function(name, ONE_ATTEMPT)
    async def other(ctx: FunctionContext) -> None:
        await ctx.sleep(1, "charge")

    with pytest.raises(ExecutionFailedError, match="the code asks for nothing more"):
        changed(svc, client, old, less)
    with pytest.raises(ExecutionFailedError, match='the code asks for timer "charge"'):
        changed(svc, client, old, other)


def test_version_lets_new_code_continue_an_old_journal(
    svc: Runtime, client: Client, name: str
) -> None:
    @function(name)
    async def old(ctx: FunctionContext) -> Json:
        await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")
        return {}

    @function(name)
    async def new(ctx: FunctionContext) -> Json:
        first = ctx.version("check first", 1)
        if first >= 1:
            await ctx.step("check", lambda: 1)
        await ctx.step("charge", lambda: 1)
        await ctx.wait_event("go")
        return {"version": first}

    assert changed(svc, client, old, new) == {"version": 0}
    assert changed(svc, client, new, new) == {"version": 1}


def test_the_code_of_a_function_may_not_wait_for_the_outside_world(svc: Runtime, name: str) -> None:
    @function(name, ONE_ATTEMPT)
    async def wrong(ctx: FunctionContext) -> None:
        await asyncio.sleep(1)

    with pytest.raises(ExecutionFailedError, match=r"Use ctx\.sleep\(\) for time"):
        run(svc, wrong)


def test_the_code_of_a_step_may_not_use_ctx(svc: Runtime, name: str) -> None:
    @function(name)
    async def wrong(ctx: FunctionContext) -> None:
        def nested() -> None:
            ctx.sleep(1)

        await ctx.step("outer", nested, retry=Retry(max_attempts=1))

    with pytest.raises(ExecutionFailedError, match="outer uses it for sleep"):
        run(svc, wrong)


def test_a_long_pause_between_attempts_suspends_the_function(
    svc: Runtime, client: Client, name: str
) -> None:
    @function(name)
    async def slow(ctx: FunctionContext) -> None:
        def down() -> None:
            raise OSError("down")

        await ctx.step("down", down, retry=Retry(max_attempts=2, initial_interval=3600))

    with svc.working(functions=[slow]):
        handle = client.start(slow)
        until_suspended(handle)
    assert ("value", "down/retry[1]") in steps_of(handle)
    handle.cancel()


def test_many_steps_with_durability_end_need_few_turns(svc: Runtime, name: str) -> None:
    @function(name)
    async def many(ctx: FunctionContext) -> Json:
        total = 0
        for at in range(250):
            total += await ctx.step("add", lambda at=at: at, durability="end")
        return {"total": total, "turn": ctx.turn}

    assert run(svc, many) == {"total": sum(range(250)), "turn": 0}


def test_definitions_that_cannot_be_served_are_refused() -> None:
    with pytest.raises(ValueError, match="the name of a function has"):
        function("a b")
    with pytest.raises(TypeError, match="must be an async function"):
        function("plain")(lambda ctx, input: None)  # type: ignore[misc, arg-type]
