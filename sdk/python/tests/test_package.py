"""The wheel: built, installed into an empty environment, and used from an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import svc_sdk
from svc_sdk.testing import Runtime

from .conftest import REPOSITORY

PACKAGE = REPOSITORY / "sdk" / "python"
PAGE = REPOSITORY / "docs" / "get-started" / "python.md"
GUIDE = REPOSITORY / "docs" / "guides" / "python.md"
STEPS_OF_SHIP = [
    "event paid",
    "on_rollback on-rollback reserve",
    "step all[0]/pick",
    "step label",
    "step reserve",
]
SOURCES = {**os.environ, "PYTHONPATH": str(PACKAGE / "src")}
BLOCK = r"```python\n(.*?)```"
TYPED = """
from svc_sdk import Client, FunctionContext, Worker
worker = Worker()
@worker.tool("a.b")
def square(value: dict[str, int]) -> dict[str, int]:
    return {"square": value["value"] ** 2}
reveal_type(square({"value": 2}))
with Client() as client:
    reveal_type(client.start("order").id)
    reveal_type(client.executions.get("exec_1")["waiting_on"][0]["attempt"])
"""


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the wheel and what it depends on."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("venv")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    wheel = (*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, PACKAGE)
    run(*wheel, cwd=wheels)
    venv.create(folder, with_pip=False)
    own = folder / "bin" / "python"
    (built,) = wheels.iterdir()
    run(*pip, "--python", own, "install", built, cwd=folder)
    return own


def blocks_of(page: Path) -> dict[str, str]:
    """The files of a page by their names: `<!-- name -->` stands before each block."""
    found = re.findall(r"<!-- (\S+) -->\n\n```py(?:thon)?\n(.*?)```", page.read_text(), re.DOTALL)
    return dict(found)


def test_the_versions_are_that_of_the_runtime() -> None:
    runtime = json.loads((REPOSITORY / "package.json").read_text())["version"]
    (project,) = re.findall(r'^version = "(.*)"$', (PACKAGE / "pyproject.toml").read_text(), re.M)
    assert (project, svc_sdk.__version__) == (runtime, runtime)


def test_the_wheel_depends_on_httpx_alone_and_has_its_types(python: Path, tmp_path: Path) -> None:
    show = "import importlib.metadata as m; print(*m.requires('svc-sdk'), sep='\\n')"
    required = run(python, "-c", show, cwd=tmp_path).splitlines()
    assert [one for one in required if "extra ==" not in one] == ["httpx<1,>=0.27"]
    (tmp_path / "typed.py").write_text(TYPED)
    check = (sys.executable, "-m", "mypy", "--strict", "--python-executable", python, "typed.py")
    said = run(*check, cwd=tmp_path)
    assert 'Revealed type is "dict[str, int]"' in said.replace("builtins.", "")
    assert 'Revealed type is "str"' in said.replace("builtins.", "")
    assert 'Revealed type is "int"' in said.replace("builtins.", "")


def test_the_reference_is_made_from_the_docstrings(tmp_path: Path) -> None:
    command = re.search(r"```sh\npdoc (.*)\n```", (PACKAGE / "README.md").read_text())
    assert command is not None
    modules = command[1].split()
    if sys.version_info < (3, 11):
        modules.remove("svc_sdk.pydantic_ai")
    pdoc = [sys.executable, "-m", "pdoc", "-o", str(tmp_path), *modules]
    made = subprocess.run(pdoc, cwd=tmp_path, capture_output=True, text=True, env=SOURCES)
    assert (made.returncode, made.stderr) == (0, "")
    for module in modules:
        assert (tmp_path / f"{module.replace('.', '/')}.html").exists(), module
    assert "Starts an execution" in (tmp_path / "svc_sdk.html").read_text()


def test_the_blocks_of_the_guide_run_as_one_program(svc: Runtime, tmp_path: Path) -> None:
    blocks = re.findall(BLOCK, GUIDE.read_text(), re.DOTALL)
    if sys.version_info < (3, 11):
        blocks = [one for one in blocks if "pydantic_ai" not in one]
    (tmp_path / "guide.py").write_text("\n".join(blocks))
    source = str(PACKAGE / "src")
    said = run(sys.executable, "guide.py", cwd=tmp_path, SVC_URL=svc.url, PYTHONPATH=source)
    lines = said.splitlines()
    assert lines[0] == "large"
    assert "True" in lines
    # The parts for tests: nobody paid within the hour that the clock skipped.
    assert lines[-6] == "False"
    assert sorted(lines[-5:]) == STEPS_OF_SHIP


def test_the_page_for_beginners_runs_in_an_empty_folder(
    svc: Runtime, python: Path, tmp_path: Path
) -> None:
    files = blocks_of(PAGE)
    assert list(files) == ["worker.py", "start.py"]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    worker = subprocess.Popen(
        [python, "worker.py"], cwd=tmp_path, env={**os.environ, "SVC_URL": svc.url}
    )
    try:
        said = run(python, "start.py", cwd=tmp_path, SVC_URL=svc.url)
    finally:
        worker.terminate()
        assert worker.wait(40) == 0
    assert said.strip().splitlines()[-1] in PAGE.read_text()
