from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from svc_sdk import Client
from svc_sdk.testing import Runtime, runtime_fixture

REPOSITORY = Path(__file__).parents[3]
os.environ.setdefault("SVC_BIN", f"{REPOSITORY}/node_modules/.bin/node {REPOSITORY}/bin/svc.js")
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
