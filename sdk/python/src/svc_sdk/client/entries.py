"""What requests take, as far as the client names it."""

from __future__ import annotations

from typing import Any, TypedDict

from ..workflow import Batch, Concurrency, Debounce, Fairness, StartRate


class StartEntry(TypedDict, total=False):
    workflow_id: str
    workflow_version: str
    input: dict[str, Any]
    idempotency_key: str
    priority: int
    labels: dict[str, str]
    start_after: str | float
    start_deadline: str | float
    concurrency: Concurrency
    rate: StartRate
    debounce: Debounce
    batch: Batch
    fairness: Fairness
