"""Agents of Pydantic AI in durable functions, on the real runtime."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.providers.openai import OpenAIProvider

from svc_sdk import Function, FunctionContext, Retry, function
from svc_sdk.errors import ExecutionFailedError
from svc_sdk.functions.context import current_function
from svc_sdk.pydantic_ai import StepOptions, SvcDurability
from svc_sdk.testing import Runtime

from .conftest import REPOSITORY
from .support_openai import FakeOpenAI, Reply, call_of

WORKER = """
import os, time
from pathlib import Path
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from svc_sdk import FunctionContext, Worker
from svc_sdk.pydantic_ai import SvcDurability

folder = Path(os.environ["FOLDER"])
openai = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key="none", max_retries=0)
model = OpenAIChatModel("fake-1", provider=OpenAIProvider(openai_client=openai))
agent = Agent(model, name="support", capabilities=[SvcDurability()])
worker = Worker()

def append(line):
    with (folder / "effects").open("a") as file:
        file.write(line + "\\n")

@agent.tool_plain
async def find_order(id: str) -> dict[str, str]:
    append("find_order")
    return {"id": id, "state": "broken"}

@agent.tool_plain
def refund(id: str) -> str:
    append("refund")
    if not (folder / "may-end").exists():
        time.sleep(60)
    return "paid back"

@agent.instructions
def instruct() -> str:
    return "Be kind."

@worker.function(os.environ["NAME"], retry_policy={"max_attempts": 9, "initial_delay": "10ms"})
async def support(ctx: FunctionContext, order: dict):
    result = await agent.run(f"My order {order['id']} is broken")
    return {"answer": result.output}

worker.run()
"""


def serve(
    svc: Runtime, name: str, served: Function[Any, Any], input: object = None
) -> tuple[Any, list[dict[str, Any]], dict[str, Any]]:
    """The output of an execution of the function, its journal, and its model usage."""
    with svc.working(functions=[served]), svc.client() as client:
        handle = client.start(name, input)
        output = handle.result(30)
        entries = [
            entry for event in handle.history() for entry in event["payload"].get("entries") or []
        ]
        return output, entries, client.request("GET", f"/executions/{handle.id}")["usage"]


def steps_of(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["identity"] for entry in entries if entry["kind"] == "step"]


def model_that(*answers: Any) -> FunctionModel:
    """Answers by how many times it has answered in the conversation."""

    def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        said = sum(isinstance(one, ModelResponse) for one in messages)
        return ModelResponse(parts=answers[said])

    return FunctionModel(answer)


def test_a_worker_that_is_killed_twice_repeats_nothing_that_was_paid_for(
    tmp_path: Path, name: str
) -> None:
    """Once while the model answers, and once while a tool runs."""
    reached, may_answer = threading.Event(), threading.Event()

    def answer(_: int, messages: list[dict[str, Any]]) -> Reply:
        said = [one for one in messages if one["role"] == "assistant"]
        if len(said) == 1 and not reached.is_set():
            reached.set()
            may_answer.wait(60)
        if len(said) < 2:
            return call_of(["find_order", "refund"][len(said)], id="A-1")
        return {"content": "Your money is on its way."}

    effects = tmp_path / "effects"
    (tmp_path / "worker.py").write_text(WORKER)
    with FakeOpenAI(answer) as openai, Runtime(env={"SVC_SCHEDULER_LEASE_SECONDS": "2"}) as runtime:
        env = {**os.environ, "SVC_URL": runtime.url, "MODEL_URL": openai.url, "NAME": name}
        env |= {"FOLDER": str(tmp_path)}
        env["PYTHONPATH"] = str(REPOSITORY / "sdk" / "python" / "src")

        def start() -> subprocess.Popen[bytes]:
            with (tmp_path / "worker.log").open("ab") as log:
                return subprocess.Popen(
                    [sys.executable, "worker.py"], cwd=tmp_path, env=env, stdout=log, stderr=log
                )

        worker = start()
        try:
            with runtime.client() as client:
                wait_for(lambda: name in str(client.request("GET", "/workers")), tmp_path)
                handle = client.start(name, {"id": "A-1"})
                wait_for(reached.is_set, tmp_path)
                worker.kill()
                worker.wait()
                may_answer.set()
                worker = start()
                wait_for(lambda: "refund" in effects.read_text(), tmp_path)
                worker.kill()
                worker.wait()
                (tmp_path / "may-end").touch()
                worker = start()
                assert handle.result(60) == {"answer": "Your money is on its way."}
                usage = client.executions.get(handle.id)["usage"]
        finally:
            worker.terminate()
            worker.wait(40)
    # Three answers were paid for. Only what the kills cut off came twice: a request and a call.
    assert len(openai.requests) == 4
    assert effects.read_text().split() == ["find_order", "refund", "refund"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (30, 15)
    assert openai.requests[0][0] == {"role": "system", "content": "Be kind."}


def wait_for(check: Any, folder: Path) -> None:
    deadline = time.monotonic() + 60
    while not check():
        log = folder / "worker.log"
        assert time.monotonic() < deadline, log.read_text() if log.exists() else "too late"
        time.sleep(0.02)


def test_each_request_and_each_call_is_a_step_that_a_later_turn_repeats_not(
    svc: Runtime, name: str
) -> None:
    agent = Agent(TestModel(), name="support", capabilities=[SvcDurability()])
    calls: list[str] = []

    @agent.tool_plain
    def weather(city: str) -> str:
        calls.append(city)
        return f"rain in {city}"

    @function(name)
    async def ask(ctx: FunctionContext) -> dict[str, Any]:
        first = await agent.run("How is the weather?")
        await ctx.sleep(0.1)
        return {"answer": first.output, "run": first.run_id}

    output, entries, usage = serve(svc, name, ask)
    assert output["answer"] == '{"weather":"rain in a"}'
    assert calls == ["a"]
    assert steps_of(entries) == ["support.model", "support.weather", "support.model#2"]
    models = [one for one in entries if one["identity"].startswith("support.model")]
    assert [one["usage"]["model"] for one in models] == ["test", "test"]
    assert usage["input_tokens"] == sum(one["usage"]["input_tokens"] for one in models) > 0
    assert [one["output"] for one in entries if one["kind"] == "value"] == [output["run"]]


def test_tools_run_side_by_side_and_outside_of_the_function(svc: Runtime, name: str) -> None:
    calls = [ToolCallPart("meet", {"who": "a"}), ToolCallPart("meet", {"who": "b"})]
    model = model_that(calls, [TextPart("met")])
    agent = Agent(model, name="host", capabilities=[SvcDurability()])
    both = threading.Barrier(2)
    seen: list[object] = []

    @agent.tool
    def meet(_: RunContext[object], who: str) -> str:
        seen.append(current_function.get())
        both.wait(10)
        return who

    @function(name)
    async def host(ctx: FunctionContext) -> dict[str, Any]:
        return {"answer": (await agent.run("go")).output}

    output, entries, _ = serve(svc, name, host)
    assert output == {"answer": "met"}
    assert sorted(steps_of(entries)) == ["host.meet", "host.meet#2", "host.model", "host.model#2"]
    assert seen == [None, None]


def test_a_tool_that_asks_for_a_retry_is_a_recorded_answer(svc: Runtime, name: str) -> None:
    model = model_that(
        [ToolCallPart("book", {"seat": 0})], [ToolCallPart("book", {"seat": 1})], [TextPart("ok")]
    )
    agent = Agent(model, name="booking", capabilities=[SvcDurability()])

    @agent.tool_plain
    def book(seat: int) -> str:
        if seat < 1:
            raise ModelRetry("seats begin at 1")
        return f"seat {seat}"

    @function(name)
    async def run(ctx: FunctionContext) -> dict[str, Any]:
        result = await agent.run("book")
        return {"answer": result.output, "messages": len(result.all_messages())}

    output, entries, _ = serve(svc, name, run)
    assert output == {"answer": "ok", "messages": 6}
    assert all("error" not in entry for entry in entries)


def test_a_streamed_answer_is_one_step(svc: Runtime, name: str) -> None:
    agent = Agent(
        TestModel(custom_output_text="one two three"), name="talk", capabilities=[SvcDurability()]
    )

    @function(name)
    async def talk(ctx: FunctionContext) -> dict[str, Any]:
        async with agent.run_stream("go") as stream:
            return {"answer": await stream.get_output()}

    output, entries, _ = serve(svc, name, talk)
    assert output == {"answer": "one two three"}
    assert steps_of(entries) == ["talk.model"]


def test_a_call_that_needs_an_approval_waits_for_a_person(
    svc: Runtime, name: str, tmp_path: Path
) -> None:
    model = model_that([ToolCallPart("refund", {"amount": 5}, "c1")], [TextPart("refunded")])
    agent = Agent(
        model,
        name="refunds",
        output_type=[str, DeferredToolRequests],
        capabilities=[SvcDurability()],
    )
    paid: list[int] = []

    @agent.tool_plain(requires_approval=True)
    def refund(amount: int) -> str:
        paid.append(amount)
        return "done"

    @function(name)
    async def run(ctx: FunctionContext) -> dict[str, Any]:
        result = await agent.run("refund")
        while isinstance(result.output, DeferredToolRequests):
            answers = DeferredToolResults()
            for call in result.output.approvals:
                decision = await ctx.approval(f"approve {call.tool_name}", context=call.args)
                answers.approvals[call.tool_call_id] = decision.approved
            result = await agent.run(
                message_history=result.all_messages(), deferred_tool_results=answers
            )
        return {"answer": result.output}

    with svc.working(functions=[run]), svc.client() as client:
        handle = client.start(name)
        wait_for(lambda: handle.approvals()["pending"], tmp_path)
        assert paid == []
        handle.approve()
        assert handle.result(20) == {"answer": "refunded"}
    assert paid == [5]


def test_a_tool_may_run_in_the_function_to_use_its_context(svc: Runtime, name: str) -> None:
    model = model_that([ToolCallPart("wait", {})], [TextPart("waited")])
    agent = Agent(model, name="patient", capabilities=[SvcDurability()])

    @agent.tool_plain(metadata={"svc": False})
    async def wait() -> str:
        ctx = current_function.get()
        assert ctx is not None
        await ctx.sleep(0.1)
        return "waited"

    @function(name)
    async def run(ctx: FunctionContext) -> dict[str, Any]:
        return {"answer": (await agent.run("wait")).output}

    output, entries, _ = serve(svc, name, run)
    assert output == {"answer": "waited"}
    assert [one["kind"] for one in entries if one["kind"] != "value"] == ["step", "timer", "step"]


@pytest.mark.parametrize(("status", "requests"), [(401, 1), (500, 3), (429, 3)])
def test_only_errors_that_may_pass_are_tried_again(
    svc: Runtime, name: str, status: int, requests: int
) -> None:
    with FakeOpenAI(lambda *_: status) as openai:
        client = AsyncOpenAI(base_url=openai.url, api_key="none", max_retries=0)
        model = OpenAIChatModel("fake-1", provider=OpenAIProvider(openai_client=client))
        options = StepOptions(retry=Retry(max_attempts=3, initial_interval=0.01))
        agent = Agent(model, name="a", capabilities=[SvcDurability(model=options)])

        @function(name)
        async def run(ctx: FunctionContext) -> dict[str, Any]:
            return {"answer": (await agent.run("go")).output}

        with pytest.raises(ExecutionFailedError, match=str(status)):
            serve(svc, name, run)
    assert len(openai.requests) == requests


def test_outside_of_a_function_the_agent_runs_as_without_svc() -> None:
    agent = Agent(
        TestModel(custom_output_text="hello"), name="plain", capabilities=[SvcDurability()]
    )
    assert asyncio.run(agent.run("go")).output == "hello"
