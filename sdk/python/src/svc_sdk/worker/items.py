"""Claimed items, as far as a worker reads them (`docs/reference/worker-protocol.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    id: str
    execution_id: str
    node_id: str
    payload: Mapping[str, Any]
    attempt: int
    lease_fence: int
    idempotency_key: str | None
    heartbeat_interval: float
    """Seconds."""
    traceparent: str | None
    cancel_requested: bool

    @property
    def tool(self) -> str:
        """`module.function`, or `class.method`."""
        payload = self.payload
        if "class" in payload and "method" in payload:
            return f"{payload['class']}.{payload['method']}"
        return f"{payload.get('module')}.{payload.get('function')}"


def read_items(body: Mapping[str, Any]) -> list[Item]:
    """The items of the answer to a claim."""
    found = body.get("work_items")
    if not isinstance(found, list):
        found = [body.get("work_item")]
    return [_read(item) for item in found if isinstance(item, dict)]


def _read(item: Mapping[str, Any]) -> Item:
    return Item(
        id=item["id"],
        execution_id=item["execution_id"],
        node_id=item["node_id"],
        payload=item["payload"],
        attempt=item["attempt"],
        lease_fence=item["lease_fence"],
        idempotency_key=item.get("idempotency_key"),
        heartbeat_interval=item["heartbeat_interval_ms"] / 1000,
        traceparent=item.get("traceparent"),
        cancel_requested=item.get("cancel_requested") is True,
    )
