"""Writes the synchronous client from the asynchronous one. A test compares the file."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parent.parent / "src" / "svc_sdk" / "client"
_REPLACEMENTS = (
    (
        r'"""The client\. .*?"""',
        '"""Written from aio.py: `python scripts/write_sync_client.py`."""',
    ),
    (r"import asyncio\n", ""),
    (r"asyncio\.sleep", "time.sleep"),
    (r"httpx\.AsyncBaseTransport", "httpx.BaseTransport"),
    (r"httpx\.AsyncClient", "httpx.Client"),
    (r"AsyncIterator", "Iterator"),
    (
        r"\bAsync(Client|ExecutionHandle|Workflows|Executions|Approvals|WorkItems|Schedules|Memory"
        r"|Artifacts|Failures)\b",
        r"\1",
    ),
    (r"__a(enter|exit)__", r"__\1__"),
    (r"\bacl(ose)\(", r"cl\1("),
    (r"\ba(read|iter_lines)\(", r"\1("),
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"for (\w+) in (page\[[^\n]*\]):\n\s+yield \1", r"yield from \2"),
)


def render() -> str:
    text = (CLIENT / "aio.py").read_text()
    for pattern, replacement in _REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    ruff = [sys.executable, "-m", "ruff"]
    name = ["--stdin-filename", str(CLIENT / "sync.py"), "-"]
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        done = subprocess.run(
            [*ruff, *command, *name], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text


if __name__ == "__main__":
    (CLIENT / "sync.py").write_text(render())
