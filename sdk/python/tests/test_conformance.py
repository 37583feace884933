"""The rules of the worker protocol, as `svc worker check` has them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

from .conftest import REPOSITORY

WORKER = REPOSITORY / "examples" / "workers" / "check" / "sdk.py"


def test_the_worker_keeps_every_rule_of_the_protocol() -> None:
    command = shlex.join([sys.executable, str(WORKER)])
    svc = shlex.split(os.environ["SVC_BIN"])
    checked = subprocess.run(
        [*svc, "worker", "check", "--output", "json", "--concurrency", "6", "--cmd", command],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "sdk" / "python" / "src")},
        stdout=subprocess.PIPE,
        text=True,
        timeout=240,
    )
    result = json.loads(checked.stdout)
    problems = {
        case["name"]: case["problems"] for case in result["cases"] if case["outcome"] == "failed"
    }
    assert problems == {}
    assert result["complete"]
    assert result["not_applicable"] == 0
    assert checked.returncode == 0
