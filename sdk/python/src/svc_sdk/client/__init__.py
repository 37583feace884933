"""Clients of the service."""

from .aio import AsyncClient, AsyncExecutionHandle
from .retry import RetryPolicy
from .sync import Client, ExecutionHandle
from .wire import Event, Execution, StartEntry, StartVerdict

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
