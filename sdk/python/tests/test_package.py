"""The wheel, as a stranger installs it into an empty environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

from conftest import REPOSITORY, Runtime
from flows import calls_tool

from svc_sdk import Client

PROJECT = Path(__file__).parents[1]

PROGRAM = """
from svc_sdk import Worker

worker = Worker()


@worker.tool("stranger.greet")
def greet(given: dict) -> dict:
    return {"greeting": f"Hello, {given['name']}"}


if __name__ == "__main__":
    worker.run(once=True)
"""

TYPED = """
import svc_sdk

reveal_type(svc_sdk.Client().start("x"))
"""


def test_the_version_is_that_of_the_runtime() -> None:
    runtime = json.loads((REPOSITORY / "package.json").read_text())["version"]
    own = re.search(r'^version = "(.+)"$', (PROJECT / "pyproject.toml").read_text(), re.M)
    assert own is not None
    assert own[1] == runtime


def test_the_wheel_works_in_an_empty_environment(runtime: Runtime, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, PROJECT)
    (wheel,) = tmp_path.glob("svc_sdk-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "-q", wheel)
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "worker.py").write_text(PROGRAM)
    client = Client(url=runtime.url)
    flow = calls_tool("stranger.greet")
    client.register(flow)
    execution = client.start(flow["workflow_id"], {"name": "Ada"})
    run(python, "worker.py", cwd=folder, env={"SVC_URL": runtime.url})
    assert client.result(execution, timeout=20) == {"greeting": "Hello, Ada"}


def test_type_checkers_see_the_types(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED)
    shown = run(
        sys.executable, "-m", "mypy", "typed.py", cwd=tmp_path, env={"MYPYPATH": PROJECT / "src"}
    )
    assert 'Revealed type is "builtins.str"' in shown


def run(*command: object, cwd: Path | None = None, env: dict[str, object] | None = None) -> str:
    given = {name: str(value) for name, value in (env or {}).items()}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
