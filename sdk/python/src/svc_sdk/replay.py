"""Replays a recorded history against the code of a durable function.

python -m svc_sdk.replay HISTORY MODULE[:FUNCTION]

HISTORY is a file with the events of an execution, as `svc execution export` and
`GET /executions/{id}/events` write it, or the id of an execution at SVC_URL. MODULE is the module or
the file that has the function, alone or in a worker. Exit codes: 0: the code fits. 1: it does not,
and the first difference is printed. 2: the history or the function is not found.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .client import Client
from .errors import NonDeterminismError, SvcError
from .functions.define import Function
from .testing.replay import replay_history
from .worker import Worker


class UsageError(Exception):
    """What was given cannot be replayed."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m svc_sdk.replay",
        description="Replay a recorded history against the code of a durable function.",
    )
    parser.add_argument("history", help="a JSON file of events, or the id of an execution")
    parser.add_argument("code", help="a module or file, and :NAME if it has several functions")
    parser.add_argument("--node", help="the node of the function")
    parser.add_argument("--url", help="address of the service (default: SVC_URL)")
    given = parser.parse_args(arguments)
    try:
        events = _read_events(given.history, given.url)
        served = _find_function(given.code, events)
        replay_history(served, events, node_id=given.node)
    except NonDeterminismError as error:
        print(f"{given.code} does not fit {given.history}.\n{error}")
        return 1
    except (UsageError, ValueError, SvcError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{served.name} fits {given.history}.")
    return 0


def _read_events(history: str, url: str | None) -> list[dict[str, Any]]:
    file = Path(history)
    if not file.exists():
        if not history.startswith("exec_"):
            raise UsageError(f"there is no file {history}, and it is no id of an execution")
        with Client(url) as client:
            recorded = client.execution(history).history()
            return [{**event, "payload": _whole(client, event["payload"])} for event in recorded]
    try:
        found = json.loads(file.read_text())
    except ValueError as error:
        raise UsageError(f"{history} is not JSON: {error}") from error
    events = found.get("events") if isinstance(found, dict) else found
    if not isinstance(events, list) or not all("kind" in one for one in events):
        raise UsageError(f"{history} has no events of an execution")
    return events


def _whole(client: Client, value: Any) -> Any:
    """The value with the contents that the runtime has stored as artifacts."""
    if isinstance(value, list):
        return [_whole(client, one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("inline") is True and isinstance(value.get("$artifact"), str):
        return json.loads(client.artifacts.get(value["$artifact"]))
    return {key: _whole(client, one) for key, one in value.items()}


def _find_function(code: str, events: list[dict[str, Any]]) -> Function[Any, Any]:
    place, _, wanted = code.partition(":")
    module = _load(place)
    functions = _functions_in(module)
    name = wanted or _recorded_name(events)
    for known, served in functions.items():
        if name in (known, served.name):
            return served
    found = ", ".join(sorted({one.name for one in functions.values()})) or "none"
    raise UsageError(f"{place} has no durable function {name}; it has: {found}")


def _functions_in(module: ModuleType) -> dict[str, Function[Any, Any]]:
    """By the name of the variable, or that of the function."""
    found: dict[str, Function[Any, Any]] = {}
    for name, value in vars(module).items():
        if isinstance(value, Function):
            found[name] = value
        elif isinstance(value, Worker):
            found.update(value.functions)
    return found


def _recorded_name(events: list[dict[str, Any]]) -> str:
    started = next((one for one in events if one["kind"] == "WorkflowStarted"), None)
    if started is None:
        raise UsageError("the history has no WorkflowStarted: name the function, as MODULE:NAME")
    return str(started["payload"]["workflow_id"])


def _load(place: str) -> ModuleType:
    if not place.endswith(".py"):
        sys.path.insert(0, "")
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise UsageError(f"cannot import {place}: {error}") from error
    spec = importlib.util.spec_from_file_location(Path(place).stem, place)
    if spec is None or spec.loader is None or not Path(place).exists():
        raise UsageError(f"there is no file {place}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
