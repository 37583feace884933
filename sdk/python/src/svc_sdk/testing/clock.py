"""The runtime on a clock that the test turns.

It is the runtime that the TypeScript kit has, `svc-runtime/testing`, in a process of Node that
runs `clock_program.py`: in memory, with the API on a loopback port. Workers and clients reach it as
they reach any other, so they are in the process of the test.
"""

from __future__ import annotations

import itertools
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any

from .._duration import Duration, to_ms
from ..functions import Function
from ..worker import Tool, Worker
from .clock_program import PROGRAM
from .runtime import Runtime, find_runtime

_ANSWER_S_MAX = 60.0


class ClockRuntime(Runtime):
    """A runtime in memory, whose clock passes as in the system until `advance` skips some time.

    It needs the package svc-runtime: `SVC_BIN` names its program, or `svc` is on the path.

    start_at: the time at which the clock starts. Default: the system's time.
    settings: configuration keys of the runtime.
    """

    def __init__(
        self,
        *,
        start_at: datetime | None = None,
        settings: Mapping[str, Any] | None = None,
        port: int | None = None,
    ) -> None:
        self._start_at = None if start_at is None else start_at.timestamp() * 1000
        self._settings = {**(settings or {})}
        self._ids = itertools.count(1)
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any]]] = {0: queue.SimpleQueue()}
        self._writing = threading.Lock()
        super().__init__(port=port)

    def now(self) -> datetime:
        """The time of the runtime, in UTC."""
        return datetime.fromtimestamp(self._ask("now") / 1000, timezone.utc)

    def advance(self, time: Duration) -> None:
        """Moves the clock by seconds or a timedelta, from one due time to the next.

        Before each move, workers finish what they have leased: up to 5 seconds of real time.
        """
        self._ask("advance", ms=to_ms(time, "time"))

    def settle(self) -> None:
        """Waits until nothing is left to do before the clock moves."""
        self._ask("settle")

    def working(
        self,
        *,
        tools: Iterable[Tool[Any, Any]] = (),
        functions: Iterable[Function[Any, Any]] = (),
        steps: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> AbstractContextManager[Worker]:
        options = {"clock": lambda: self._ask("now") / 1000, **options}
        return super().working(tools=tools, functions=functions, steps=steps, **options)

    def stop(self) -> None:
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.closed:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        super().stop()

    def _open(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        node, root = find_package()
        sources = root / "src" / "runtime" / "testing" / "index.ts"
        given = {
            "root": str(root),
            "port": self.port,
            "startAt": self._start_at,
            "settings": self._settings,
        }
        conditions = ["--conditions=svc-source"] if sources.exists() else []
        process = subprocess.Popen(
            [node, *conditions, "--input-type=module", "-e", PROGRAM, json.dumps(given)],
            cwd=self._folder.name,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                answer = json.loads(line)
                self._answers[answer["id"]].put(answer)
        for waiting in [*self._answers.values()]:
            waiting.put({"error": "the runtime has ended"})

    def _ask(self, what: str, **members: Any) -> float:
        id = next(self._ids)
        waiting = self._answers[id] = queue.SimpleQueue()
        try:
            self._write({"id": id, "do": what, **members})
            answer = waiting.get(timeout=_ANSWER_S_MAX)
        finally:
            del self._answers[id]
        if "error" in answer:
            raise RuntimeError(f"{what}: {answer['error']}")
        return float(answer["now"])

    def _write(self, request: dict[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("the runtime does not run")
        with self._writing:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()


def find_package() -> tuple[str, Path]:
    """Node, and the folder of svc-runtime. Raises RuntimeError when it is not installed."""
    command = find_runtime()
    root = Path(command[-1]).resolve().parent.parent
    node = command[0] if len(command) > 1 else shutil.which("node")
    if node is None or not (root / "package.json").exists():
        raise RuntimeError(
            "a clock to turn needs svc-runtime: install it, so that svc is on the path, or set "
            f"SVC_BIN to its program, such as node_modules/.bin/svc; not {' '.join(command)}"
        )
    return node, root
