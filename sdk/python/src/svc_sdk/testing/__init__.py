"""The test kit: the real runtime in a process of its own, on the real clock or on one that you turn."""

from .clock import ClockRuntime
from .history import RecordedStep, recorded_steps
from .mocks import mock_steps, mock_tool
from .replay import replay_history
from .runtime import Runtime, find_runtime, free_port, running, runtime_fixture

__all__ = [
    "ClockRuntime",
    "RecordedStep",
    "Runtime",
    "find_runtime",
    "free_port",
    "mock_steps",
    "mock_tool",
    "recorded_steps",
    "replay_history",
    "running",
    "runtime_fixture",
]
