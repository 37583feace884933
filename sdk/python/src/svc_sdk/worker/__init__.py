"""A worker: it claims the items of its tools, runs the tools, and hands in what they return."""

from svc_sdk.worker.errors import (
    CancelledError,
    Fatal,
    LeaseLostError,
    RetryAfter,
    ShutdownError,
    StoppedError,
    WorkerRefusedError,
)
from svc_sdk.worker.tools import Tool, ToolContext, tool
from svc_sdk.worker.worker import Worker

__all__ = [
    "CancelledError",
    "Fatal",
    "LeaseLostError",
    "RetryAfter",
    "ShutdownError",
    "StoppedError",
    "Tool",
    "ToolContext",
    "Worker",
    "WorkerRefusedError",
    "tool",
]
