"""A claimed item, as far as a worker reads it (`docs/reference/worker-protocol.md`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_HEARTBEAT_MS = 10_000
"""Engines older than `heartbeat_interval_ms` have leases of 30 s."""


@dataclass(frozen=True)
class WorkItem:
    id: str
    execution_id: str
    node_id: str
    queue_type: str
    name: str
    """As in claims: `module.function`, `class.method`, or the function."""
    input: Any
    attempt: int
    lease_fence: int
    idempotency_key: str | None
    heartbeat_s: float
    traceparent: str | None = None
    turn: int = 0
    mode: str = "run"
    cancel_requested: bool = False
    journal: list[dict[str, Any]] = field(default_factory=list)
    journal_next: int | None = None

    @property
    def key(self) -> str:
        return self.idempotency_key or self.id


def read_items(body: dict[str, Any]) -> list[WorkItem]:
    """The items of the answer to a claim."""
    several = body.get("work_items")
    found = several if isinstance(several, list) else [body.get("work_item")]
    return [_read_item(one) for one in found if isinstance(one, dict)]


def is_of_plain_runtime(body: dict[str, Any]) -> bool:
    """A runtime that knows only the calls of the contract answers with one item, and takes none back."""
    return not isinstance(body.get("work_items"), list)


def _read_item(item: dict[str, Any]) -> WorkItem:
    payload = item["payload"]
    journal = item.get("journal") or {}
    return WorkItem(
        id=item["id"],
        execution_id=item["execution_id"],
        node_id=item["node_id"],
        queue_type=item["queue_type"],
        name=_name_of(item["queue_type"], payload),
        input=payload.get("input"),
        attempt=item["attempt"],
        lease_fence=item["lease_fence"],
        idempotency_key=item.get("idempotency_key"),
        heartbeat_s=item.get("heartbeat_interval_ms", _HEARTBEAT_MS) / 1000,
        traceparent=item.get("traceparent"),
        turn=item.get("turn") or 0,
        mode=item.get("mode") or "run",
        cancel_requested=item.get("cancel_requested") is True,
        journal=journal.get("entries") or [],
        journal_next=journal.get("next"),
    )


def _name_of(queue_type: str, payload: dict[str, Any]) -> str:
    if queue_type == "function":
        return str(payload.get("function", ""))
    if "class" in payload and "method" in payload:
        return f"{payload['class']}.{payload['method']}"
    return f"{payload.get('module')}.{payload.get('function')}"
