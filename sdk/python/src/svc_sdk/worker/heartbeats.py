"""Renews the leases of all items under way, on a thread and a connection of its own.

Code that keeps the event loop busy, or blocks it, so loses no lease. The first heartbeat of an item
follows after a whole interval, so short work needs none. Heartbeats that are due together travel in
one request. Without an answer nothing is known and the work continues: the runtime takes a lease
back only when it runs again, and then says so.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from .._environment import Address
from .http import Answer, NoAnswer, back_off, is_unknown, read_answer
from .item import WorkItem

_LOGGER = logging.getLogger("svc_sdk.worker")
_TOGETHER_S = 0.05
_REPORTS_MAX = 100


@dataclass(eq=False)
class Kept:
    """One lease. The callbacks run on the thread of the heartbeats."""

    item: WorkItem
    due: float
    on_lost: Callable[[str], None]
    on_cancel: Callable[[], None]
    failures: int = 0


class Heartbeats:
    def __init__(self, address: Address, worker_id: str) -> None:
        self._address = address
        self._worker_id = worker_id
        self._kept: set[Kept] = set()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def keep(
        self, item: WorkItem, on_lost: Callable[[str], None], on_cancel: Callable[[], None]
    ) -> Kept:
        kept = Kept(item, time.monotonic() + item.heartbeat_s, on_lost, on_cancel)
        with self._changed:
            self._kept.add(kept)
            if self._thread is None:
                name = "svc-heartbeats"
                self._thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._thread.start()
            # A sleep until a later heartbeat would miss this one.
            if kept.due <= min(one.due for one in self._kept):
                self._changed.notify()
        return kept

    def release(self, kept: Kept) -> None:
        with self._changed:
            self._kept.discard(kept)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _run(self) -> None:
        with httpx.Client() as client:
            while (batch := self._take_due()) is not None:
                self._renew(client, batch)

    def _take_due(self) -> list[Kept] | None:
        """Sleeps until heartbeats are due; None once it is closed."""
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                due = sorted((one for one in self._kept), key=lambda one: one.due)
                if due and due[0].due <= now:
                    return [one for one in due if one.due <= now + _TOGETHER_S][:_REPORTS_MAX]
                self._changed.wait(due[0].due - now if due else None)
            return None

    def _renew(self, client: httpx.Client, batch: list[Kept]) -> None:
        results: list[Answer | None]
        try:
            results = self._send(client, batch)
        except Exception as error:
            # Also what a token function raises: the thread has to live on for the other leases.
            _LOGGER.warning("no heartbeat was answered, trying again: %s", error)
            results = [None] * len(batch)
        now = time.monotonic()
        with self._changed:
            alive = [one in self._kept for one in batch]
        for one, is_alive, answer in zip(batch, alive, results, strict=True):
            if not is_alive:
                continue
            if answer is None:
                one.failures += 1
                one.due = now + min(back_off(one.failures), one.item.heartbeat_s)
            elif answer.status == 200:
                one.failures = 0
                one.due = now + one.item.heartbeat_s
                if answer.body.get("cancel_requested") is True:
                    one.on_cancel()
            else:
                self.release(one)
                one.on_lost(answer.reason)

    def _send(self, client: httpx.Client, batch: list[Kept]) -> list[Answer | None]:
        reports = [
            {"kind": "heartbeat", "work_item_id": one.item.id, "lease_fence": one.item.lease_fence}
            for one in batch
        ]
        body = {"worker_id": self._worker_id, "reports": reports}
        shortest = min((one.item for one in batch), key=lambda item: item.heartbeat_s)
        response = self._post(client, "/work-items/report", body, shortest)
        answer = read_answer(response)
        if answer.status == 404:
            # An older runtime has no endpoint for several calls.
            return [self._send_alone(client, one) for one in batch]
        found = answer.body.get("results")
        if answer.status != 200 or not isinstance(found, list) or len(found) != len(batch):
            raise NoAnswer(answer.reason)
        return [_read_result(one) for one in found]

    def _post(
        self, client: httpx.Client, path: str, body: dict[str, Any], item: WorkItem
    ) -> httpx.Response:
        return client.post(
            f"{self._address.url}{path}",
            content=json.dumps(body),
            headers={"content-type": "application/json", **self._address.headers()},
            timeout=item.heartbeat_s,
        )

    def _send_alone(self, client: httpx.Client, one: Kept) -> Answer | None:
        body = {"worker_id": self._worker_id, "lease_fence": one.item.lease_fence}
        try:
            return read_answer(
                self._post(client, f"/work-items/{one.item.id}/heartbeat", body, one.item)
            )
        except NoAnswer:
            return None


def _read_result(result: dict[str, Any]) -> Answer | None:
    status = result.get("status")
    if not isinstance(status, int) or is_unknown(status):
        return None
    return Answer(status, result.get("body") or {})
