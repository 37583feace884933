"""Runs the real runtime for tests, in a process of its own.

The runtime comes from `SVC_BIN`, else `svc` on the path, else `npx svc-runtime`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import randint
from typing import IO, Any, TypeVar

from ..client import Client
from ..functions import Function
from ..worker import Tool, Worker
from .mocks import mock_steps

_START_S_MAX = 60.0

Self = TypeVar("Self", bound="Runtime")


class Runtime:
    """A running `svc dev`, on the real clock. Use it as a context manager, or call `stop()`."""

    def __init__(self, *, env: dict[str, str] | None = None, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="svc-test-")
        self._log = Path(self._folder.name) / "svc.log"
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def client(self, **options: Any) -> Client:
        return Client(self.url, **options)

    def start(self) -> None:
        """Starts it, again after `kill`, and waits until it is ready."""
        with self._log.open("ab") as log:
            self._process = self._open(log)
        self._wait_until_ready(self._process)

    def kill(self) -> None:
        """Ends the process at once, as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()

    def working(
        self,
        *,
        tools: Iterable[Tool[Any, Any]] = (),
        functions: Iterable[Function[Any, Any]] = (),
        steps: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> AbstractContextManager[Worker]:
        """Runs a worker on a thread while the block runs. `steps`: see `mock_steps`."""
        served = [mock_steps(one, steps or {}) for one in functions]
        return running(Worker(url=self.url, tools=tools, functions=served, **options))

    def _open(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        command = [*find_runtime(), "dev", "--port", str(self.port)]
        return subprocess.Popen(
            command, cwd=self._folder.name, env=self._env, stdout=log, stderr=log
        )

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_S_MAX
        while time.monotonic() < deadline and process.poll() is None:
            if _is_open(self.port):
                return
            time.sleep(0.05)
        text = self._log.read_text(errors="replace")
        self.stop()
        raise RuntimeError(f"svc did not start:\n{text[-4000:]}")


@contextmanager
def running(worker: Worker) -> Iterator[Worker]:
    """Runs a worker on a thread while the block runs. Raises what the worker raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            worker.run()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="svc-worker", daemon=True)
    thread.start()
    while not worker.wait_until_ready(0.02) and thread.is_alive():
        continue
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()
    if raised:
        raise raised[0]


def find_runtime() -> list[str]:
    """The command of the runtime. Raises RuntimeError when there is none."""
    given = os.environ.get("SVC_BIN")
    if given:
        return shlex.split(given)
    if (found := shutil.which("svc")) is not None:
        return [found]
    if (npx := shutil.which("npx")) is not None:
        return [npx, "--yes", "svc-runtime"]
    raise RuntimeError("no svc: install svc-runtime, or set SVC_BIN to the command that starts it")


_GIVEN_PORTS: set[int] = set()


def free_port() -> int:
    """A loopback port from 30000 to 31999 on which nothing listens, and which no call has given before."""
    for _ in range(100):
        port = randint(30_000, 31_999)
        # A server binds its port seconds later.
        if port in _GIVEN_PORTS:
            continue
        _GIVEN_PORTS.add(port)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free port found from 30000 to 31999")


def _is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def runtime_fixture(make: Callable[[], Runtime] = Runtime) -> Any:
    """The fixture `svc`: `svc = svc_sdk.testing.runtime_fixture()` in your conftest.py."""
    import pytest

    @pytest.fixture(scope="session")
    def svc() -> Iterator[Runtime]:
        with make() as runtime:
            yield runtime

    return svc
