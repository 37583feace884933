"""Client and worker for svc, a durable workflow runtime."""

from svc_sdk.client import AsyncClient, Client
from svc_sdk.worker import Fatal, RetryAfter, ToolContext, Worker

__all__ = ["AsyncClient", "Client", "Fatal", "RetryAfter", "ToolContext", "Worker"]
