"""Real processes that are killed, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from svc_sdk import Client, FunctionContext, function, tool
from svc_sdk.testing import Runtime

from .conftest import REPOSITORY

WORKER = """
import os, time
from pathlib import Path
from svc_sdk import FunctionContext, FunctionOptions, Worker

worker = Worker(url=os.environ["SVC_URL"])
folder = Path(os.environ["FOLDER"])

def append(line):
    with (folder / "effects").open("a") as file:
        file.write(line + "\\n")

@worker.function(os.environ["NAME"], retry_policy={"max_attempts": 9, "initial_delay": "10ms"})
async def book(ctx: FunctionContext):
    await ctx.step("first", lambda: append("first"))
    def second(step):
        append("second " + step.idempotency_key)
        if not (folder / "may-end").exists():
            time.sleep(60)
    await ctx.step("second", second)
    return {"done": True}

worker.run()
"""


def start_worker(runtime: Runtime, folder: Path, name: str) -> subprocess.Popen[bytes]:
    (folder / "worker.py").write_text(WORKER)
    env = {**os.environ, "SVC_URL": runtime.url, "FOLDER": str(folder), "NAME": name}
    env["PYTHONPATH"] = str(REPOSITORY / "sdk" / "python" / "src")
    with (folder / "worker.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "worker.py"], cwd=folder, env=env, stdout=log, stderr=log
        )


def lines(folder: Path) -> list[str]:
    file = folder / "effects"
    return file.read_text().splitlines() if file.exists() else []


def wait_for_lines(folder: Path, count: int) -> None:
    deadline = time.monotonic() + 30
    while len(lines(folder)) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(lines(folder)) == count, (folder / "worker.log").read_text()


def test_a_killed_worker_loses_no_step_and_repeats_only_the_one_under_way(
    database: dict[str, str], tmp_path: Path, name: str
) -> None:
    env = {**database, "SVC_SCHEDULER_LEASE_SECONDS": "2"}
    with Runtime(env=env) as runtime, runtime.client() as client:
        client.workflows.register(define(name))
        worker = start_worker(runtime, tmp_path, name)
        try:
            handle = client.start(name)
            wait_for_lines(tmp_path, 2)
            worker.kill()
            worker.wait()
            (tmp_path / "may-end").touch()
            worker = start_worker(runtime, tmp_path, name)
            assert handle.result(30) == {"done": True}
        finally:
            worker.terminate()
            assert worker.wait(40) in (0, -9)
    first, second, again = lines(tmp_path)
    assert first == "first"
    assert second == again


def test_a_killed_runtime_loses_nothing_and_the_worker_continues(
    database: dict[str, str], name: str
) -> None:
    attempts: list[int] = []
    runtime = Runtime(env=database)

    @tool(f"{name}.charge")
    def charge(_: dict[str, Any], ctx: Any) -> dict[str, Any]:
        attempts.append(ctx.attempt)
        if len(attempts) == 1:
            runtime.kill()
            runtime.start()
        return {"charged": True}

    kind = {"type": "python_fn", "module": name, "function": "charge"}
    with runtime, runtime.client() as client:
        nodes = {"run": {"kind": kind, "output_key": "out"}}
        client.workflows.register({"workflow_id": name, "nodes": nodes})
        with runtime.working(tools=[charge]):
            assert client.run(name, timeout=40) == {"charged": True}
    assert attempts == [0]


def define(name: str) -> dict[str, Any]:
    @function(name)
    async def book(ctx: FunctionContext) -> None:
        return None

    policy = {"max_attempts": 9, "initial_delay": "10ms"}
    made = book.to_ir()
    made["nodes"]["run"]["retry_policy"] = policy
    return made


def test_sigterm_ends_a_waiting_worker_with_0(
    svc: Runtime, client: Client, tmp_path: Path, name: str
) -> None:
    worker = start_worker(svc, tmp_path, name)
    deadline = time.monotonic() + 20
    while name not in str(client.request("GET", "/workers")) and time.monotonic() < deadline:
        time.sleep(0.02)
    worker.terminate()
    assert worker.wait(10) == 0
