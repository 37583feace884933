"""Clients of the service."""

from .aio import AsyncClient, AsyncExecutionHandle
from .answers import Event, Execution, StartVerdict
from .entries import StartEntry
from .retry import RetryPolicy
from .sync import Client, ExecutionHandle

__all__ = [
    "AsyncClient",
    "AsyncExecutionHandle",
    "Client",
    "Event",
    "Execution",
    "ExecutionHandle",
    "RetryPolicy",
    "StartEntry",
    "StartVerdict",
]
