"""Shapes of the HTTP API, as far as applications read them. `docs/openapi.json` has all."""

from __future__ import annotations

from typing import Any, TypedDict


class Execution(TypedDict, total=False):
    execution_id: str
    workflow_id: str
    workflow_version: str
    status: str
    input: dict[str, Any]
    state: dict[str, Any]
    created_at: str
    completed_at: str | None
    error: dict[str, Any] | None


class Event(TypedDict, total=False):
    event_id: str
    execution_id: str
    sequence: int
    kind: str
    node_id: str | None
    payload: dict[str, Any]
    timestamp: str


class StartVerdict(TypedDict, total=False):
    execution_id: str
    status: int
    error: str
    retry_after_seconds: int


class StartEntry(TypedDict, total=False):
    workflow_id: str
    workflow_version: str
    input: dict[str, Any]
    idempotency_key: str
    priority: int
