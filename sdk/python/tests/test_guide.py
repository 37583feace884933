"""The programs of the guide, as its reader runs them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from conftest import REPOSITORY, Runtime

GUIDE = REPOSITORY / "docs/guides/python.md"


def test_the_worker_and_the_client_of_the_guide(runtime: Runtime, tmp_path: Path) -> None:
    worker, client = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)
    (tmp_path / "worker.py").write_text(worker)
    (tmp_path / "client.py").write_text(client)
    env = {**os.environ, "SVC_URL": runtime.url, "PYTHONPATH": os.pathsep.join(sys.path)}
    serving = subprocess.Popen([sys.executable, "worker.py"], cwd=tmp_path, env=env)
    try:
        shown = subprocess.run(
            [sys.executable, "client.py"],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    finally:
        serving.send_signal(signal.SIGTERM)
        ended = serving.wait(30)
    assert "'receipt': 'R-A-1001'" in shown.stdout
    assert ended == 0
