from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from svc_sdk import Client
from svc_sdk.testing import Runtime, runtime_fixture

REPOSITORY = Path(__file__).parents[3]
os.environ.setdefault("SVC_BIN", f"{REPOSITORY}/node_modules/.bin/node {REPOSITORY}/bin/svc.js")
# Pydantic AI needs Python 3.11.
collect_ignore = [] if sys.version_info >= (3, 11) else ["test_pydantic_ai.py"]
for _name in ("SVC_URL", "SVC_TOKEN"):
    os.environ.pop(_name, None)


svc = runtime_fixture()


@pytest.fixture
def client(svc: Runtime) -> Iterator[Client]:
    with svc.client() as client:
        yield client


@pytest.fixture
def name() -> str:
    """A name of the test's own, for workflows and tools."""
    return f"t{uuid.uuid4().hex[:10]}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    script = (
        f"import {{ startPostgresServer }} from '{REPOSITORY}/test/support/servers/postgres-server.ts';"
        "const server = await startPostgresServer(); console.log(server.url);"
        "process.stdin.resume(); process.stdin.on('end', () => server.stop());"
    )
    node = REPOSITORY / "node_modules" / ".bin" / "node"
    process = subprocess.Popen(
        [node, "--input-type=module", "-e", script],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(30)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings of a runtime on each of the stores."""
    if request.param == "sqlite":
        return {}
    return {"SVC_DATABASE_URL": request.getfixturevalue("postgres")}
