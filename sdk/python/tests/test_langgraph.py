"""The checkpointer and the store for LangGraph, on the real runtime."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp

from svc_sdk import Client
from svc_sdk.client.answers import ExecutionSummary
from svc_sdk.langgraph import SvcSaver, SvcStore
from svc_sdk.testing import Runtime

from .conftest import REPOSITORY

GRAPH = """
import os, sys, time
from pathlib import Path
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from svc_sdk import Client
from svc_sdk.client.answers import ExecutionSummary
from svc_sdk.langgraph import SvcSaver

folder = Path(os.environ["FOLDER"])

class State(TypedDict):
    done: list[str]

def did(name):
    with (folder / "effects").open("a") as file:
        file.write(name + "\\n")

def first(state):
    did("first")
    return {"done": [*state["done"], "first"]}

def second(state):
    did("second")
    if not (folder / "may-end").exists():
        time.sleep(60)
    return {"done": [*state["done"], "second"]}

builder = StateGraph(State)
builder.add_node(first)
builder.add_node(second)
builder.add_edge(START, "first")
builder.add_edge("first", "second")
builder.add_edge("second", END)
graph = builder.compile(checkpointer=SvcSaver(Client()))
config = {"configurable": {"thread_id": os.environ["THREAD"]}}
print(graph.invoke(None if sys.argv[1:] else {"done": []}, config, durability="sync")["done"])
"""


def config_of(thread_id: str, checkpoint_id: str | None = None) -> RunnableConfig:
    members = {"thread_id": thread_id, "checkpoint_ns": ""}
    return {
        "configurable": {**members, **({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}
    }


def put(saver: SvcSaver, config: RunnableConfig, **values: Any) -> RunnableConfig:
    versions = {channel: saver.get_next_version(None, None) for channel in values}
    checkpoint = {**empty_checkpoint(), "channel_values": values, "channel_versions": versions}
    return saver.put(config, checkpoint, {"source": "loop", "step": 1}, versions)  # type: ignore[arg-type]


def logs(client: Client, kind: str) -> list[ExecutionSummary]:
    return [*client.executions.list(q=f'workflow ~ "{kind}." and status in (running, paused)')]


def test_the_checkpointer_passes_the_conformance_suite_of_langgraph(svc: Runtime) -> None:
    made = 0

    @checkpointer_test(name="SvcSaver")
    async def saver() -> AsyncGenerator[BaseCheckpointSaver[Any], None]:
        nonlocal made
        made += 1
        with svc.client() as client:
            yield SvcSaver(client, name=f"conformance{made}")

    report = asyncio.run(validate(saver))
    base = {"put", "put_writes", "get_tuple", "list", "delete_thread"}
    results = {name: one for name, one in report.results.items() if name in base}
    assert {name for name, one in results.items() if one.passed} == base, results
    assert sum(one.tests_passed for one in results.values()) >= 50


def test_a_killed_graph_is_resumed_by_another_process(
    database: dict[str, str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "graph.py").write_text(GRAPH)
    effects = tmp_path / "effects"
    with Runtime(env=database) as runtime:
        env = {**os.environ, "SVC_URL": runtime.url, "THREAD": name, "FOLDER": str(tmp_path)}
        env["PYTHONPATH"] = str(REPOSITORY / "sdk" / "python" / "src")
        killed = subprocess.Popen([sys.executable, "graph.py"], cwd=tmp_path, env=env)
        deadline = time.monotonic() + 30
        while not (effects.exists() and "second" in effects.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        killed.kill()
        killed.wait()
        runtime.kill()
        (tmp_path / "may-end").touch()
        runtime.start()
        said = subprocess.run(
            [sys.executable, "graph.py", "resume"],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert said.stdout.strip() == "['first', 'second']", said.stderr
    assert effects.read_text().split() == ["first", "second", "second"]


def test_an_interrupted_graph_waits_for_its_answer(svc: Runtime, name: str) -> None:
    class State(TypedDict):
        answer: str

    async def thank(state: State) -> State:
        return {"answer": f"{state['answer']}, thank you"}

    builder = StateGraph(State)
    builder.add_node("thank", thank)
    builder.add_edge(START, "thank")
    builder.add_edge("thank", END)

    async def use() -> None:
        with svc.client() as client:
            first = builder.compile(checkpointer=SvcSaver(client), interrupt_before=["thank"])
            await first.ainvoke({"answer": ""}, config_of(name))
            second = builder.compile(checkpointer=SvcSaver(client))
            waiting = await second.aget_state(config_of(name))
            assert waiting.next == ("thank",)
            await second.aupdate_state(config_of(name), {"answer": "yes"})
            answered = await second.ainvoke(None, config_of(name))
            assert answered == {"answer": "yes, thank you"}
            history = [one async for one in first.aget_state_history(config_of(name))]
            assert [one.values for one in history][:2] == [answered, {"answer": "yes"}]

    asyncio.run(use())


def test_two_writers_start_one_thread_and_lose_no_write(svc: Runtime, name: str) -> None:
    clients = [svc.client() for _ in range(20)]
    savers = [SvcSaver(client, name=name) for client in clients]
    with ThreadPoolExecutor(20) as pool:
        configs = [*pool.map(lambda one: put(one, config_of("t"), value=name), savers)]
        pool.map(
            lambda pair: pair[1].put_writes(configs[0], [("value", pair[0])], f"task{pair[0]}"),
            enumerate(savers),
        )
    assert len(logs(clients[0], f"{name}.thread")) == 1
    reader = SvcSaver(clients[0], name=name)
    assert len([*reader.list(config_of("t"))]) == 20
    found = reader.get_tuple(configs[0])
    assert found is not None
    assert sorted(write[2] for write in found.pending_writes or []) == [*range(20)]
    for client in clients:
        client.close()


def test_the_first_result_of_a_task_counts(client: Client, name: str) -> None:
    one, other = SvcSaver(client, name=name), SvcSaver(client, name=name)
    config = put(one, config_of("t"), value=1)
    one.put_writes(config, [("value", "first")], "task")
    other.put_writes(config, [("value", "second")], "task")
    for saver in (one, other):
        found = saver.get_tuple(config)
        assert found is not None
        assert found.pending_writes == [("task", "value", "first")]


def test_a_long_value_is_one_artifact_that_checkpoints_share(client: Client, name: str) -> None:
    saver = SvcSaver(client, name=name)
    text = "long" * 100_000
    config = put(saver, config_of("t"), value=text)
    put(saver, config, value=text)
    (log,) = logs(client, f"{name}.thread")
    events = [*client.execution(log["execution_id"]).history()]
    puts = [one["payload"]["payload"] for one in events if one["kind"] == "ExternalEventReceived"]
    hashes = {one["values"][0][2][1]["$artifact"] for one in puts}
    assert len(puts) == 2
    assert len(hashes) == 1
    assert all(len(str(one["payload"])) < 4_000 for one in events)
    found = SvcSaver(client, name=name).get_tuple(config_of("t"))
    assert found is not None
    assert found.checkpoint["channel_values"]["value"] == text


def test_a_deleted_thread_is_gone_for_all_and_may_begin_again(client: Client, name: str) -> None:
    one, other = SvcSaver(client, name=name), SvcSaver(client, name=name)
    put(one, config_of("t"), value=1)
    assert other.get_tuple(config_of("t")) is not None
    other.delete_thread("t")
    assert one.get_tuple(config_of("t")) is None
    put(one, config_of("t"), value=2)
    other.delete_thread("t")
    put(one, config_of("t"), value=3)
    found = other.get_tuple(config_of("t"))
    assert found is not None
    assert found.checkpoint["channel_values"] == {"value": 3}
    assert len([*other.list(None)]) == 1


def test_the_state_of_a_thread_does_not_grow_with_its_checkpoints(
    client: Client, name: str
) -> None:
    saver = SvcSaver(client, name=name)
    for at in range(30):
        put(saver, config_of("t"), value=at)
    (log,) = logs(client, f"{name}.thread")
    handle = client.execution(log["execution_id"])
    deadline = time.monotonic() + 10
    while [one["kind"] for one in handle.history()].count("NodeCompleted") < 30:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert client.executions.get(log["execution_id"])["state"] == {"subject": "t"}


def test_a_store_keeps_items_for_other_processes(client: Client, name: str) -> None:
    store = SvcStore(client, name=name)
    store.put(("memories", "ada"), "1", {"text": "likes tea", "score": 1})
    store.put(("memories", "ada"), "2", {"text": "likes cake", "score": 2})
    store.put(("memories", "bob"), "1", {"text": "null inside", "deep": {"none": None}})
    store.put(("memories", "ada"), "1", {"text": "likes coffee", "score": 3})
    store.delete(("memories", "ada"), "2")
    other = SvcStore(client, name=name)
    (kept,) = other.search(("memories", "ada"))
    assert kept.value == {"text": "likes coffee", "score": 3}
    assert kept.created_at < kept.updated_at
    assert [one.namespace for one in other.search(("memories",), filter={"score": 3})] == [
        ("memories", "ada")
    ]
    bob = other.get(("memories", "bob"), "1")
    assert bob is not None
    assert bob.value["deep"] == {"none": None}
    assert other.get(("memories", "eve"), "1") is None
    assert other.list_namespaces() == [("memories", "ada"), ("memories", "bob")]
    other.delete(("memories", "bob"), "1")
    assert store.list_namespaces(prefix=("memories",)) == [("memories", "ada")]
    assert store.search(("memories", "bob")) == []
    assert SvcStore(client, name=f"{name}2").search(("memories",)) == []


def test_writers_of_one_namespace_lose_no_item(svc: Runtime, name: str) -> None:
    clients = [svc.client() for _ in range(10)]
    stores = [SvcStore(client, name=name) for client in clients]
    with ThreadPoolExecutor(10) as pool:
        [*pool.map(lambda pair: pair[1].put(("n",), str(pair[0]), {}), enumerate(stores))]
    assert len(logs(clients[0], f"{name}.items")) == 1
    assert len(stores[0].search(("n",), limit=100)) == 10
    for client in clients:
        client.close()


def test_a_batch_reads_what_was_there_before_it(client: Client, name: str) -> None:
    store = SvcStore(client, name=name)

    async def use() -> None:
        before, _ = await store.abatch([GetOp(("n",), "k"), PutOp(("n",), "k", {"at": 1})])
        assert before is None
        item = await store.aget(("n",), "k")
        assert item is not None
        assert item.value == {"at": 1}

    asyncio.run(use())
    with pytest.raises(InvalidNamespaceError):
        store.batch([GetOp(("a.b",), "k")])
