"""Clients for applications: `Client`, and `AsyncClient` for programs with an event loop."""

from svc_sdk.client.async_client import AsyncClient
from svc_sdk.client.sync_client import Client

__all__ = ["AsyncClient", "Client"]
