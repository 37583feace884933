"""Workflows for the tests."""

from __future__ import annotations

import uuid
from typing import Any


def unique(name: str) -> str:
    return f"{name}-{uuid.uuid4().hex[:8]}"


def calls_tool(tool: str, **node: Any) -> dict[str, Any]:
    """A workflow of one node that calls a tool; its output is the output of the tool."""
    module, _, function = tool.rpartition(".")
    return {
        "workflow_id": unique("calls-tool"),
        "start_node": "call",
        "nodes": {
            "call": {
                "kind": {"type": "python_fn", "module": module, "function": function},
                "output_key": "called",
                **node,
            }
        },
        "output_key": "called",
    }


def waits_for_event(key: str) -> dict[str, Any]:
    return {
        "workflow_id": unique("waits"),
        "start_node": "wait",
        "nodes": {
            "wait": {"kind": {"type": "wait", "correlation_key": key}, "output_key": "event"},
        },
        "output_key": "event",
    }
