"""A real runtime on a file of its own, for all tests of a run."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from ports import free_port

REPOSITORY = Path(__file__).parents[3]
START_SECONDS = 60


class Runtime:
    """`svc dev`, which can be killed and started again on the same port and file."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        log = (self._folder / "runtime.log").open("ab")
        self._process = subprocess.Popen(
            [
                *("node", str(REPOSITORY / "bin/svc.js"), "dev", "--port", str(self.port)),
                *("--database-url", str(self._folder / "svc.db")),
            ],
            cwd=self._folder,
            stdout=log,
            stderr=log,
            env={**os.environ, "SVC_SCHEDULER_LEASE_SECONDS": "3"},
        )
        log.close()
        self._wait()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _wait(self) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            try:
                if httpx.get(f"{self.url}/ready", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            assert self._process is not None
            assert self._process.poll() is None, (self._folder / "runtime.log").read_text()
            time.sleep(0.05)
        raise TimeoutError((self._folder / "runtime.log").read_text())


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    started = Runtime(tmp_path_factory.mktemp("runtime"))
    started.start()
    try:
        yield started
    finally:
        started.kill()


@pytest.fixture
def own_runtime(tmp_path: Path) -> Iterator[Runtime]:
    """For tests that kill it."""
    started = Runtime(tmp_path)
    started.start()
    try:
        yield started
    finally:
        started.kill()
