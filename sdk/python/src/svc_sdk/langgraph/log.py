"""Logs: what threads and namespaces are made of.

A log is an execution that waits for external events in a loop. Each entry is one such event, so it
is durable when the request returns, and all readers see the same order. The runtime takes an event
from its mailbox as soon as it comes, so the state of the execution does not grow with the log.

A subject, such as a thread id, finds its execution by the id of the workflow, which has a hash of the
subject in it, and by the input, which has the subject itself. There are at most 4 096 such workflows
for a kind of logs, and about one execution in 4 096 has to be looked at.

Two writers may start the log of a subject at the same time. Both send the same idempotency key, which
depends on the logs of this subject that have ended, so both get the same execution. The oldest live
execution counts, in case there are several.

To delete a log is to cancel its execution. A writer that knows it from before is told that its entry
is not accepted, and starts a new log.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..client import Client
from ..errors import SvcError

_KEY = "entry"
_PAGE = 200
_LIVE = "status in (running, paused)"
_ENDED = frozenset({"completed", "failed", "cancelled"})
_KNOWN_MAX = 100_000
_DELETED = "WorkflowCancelled"
_EVENTS = f"ExternalEventReceived,{_DELETED}"


@dataclass(frozen=True)
class Found:
    execution_id: str
    subject: Any


@dataclass(frozen=True)
class Page:
    entries: list[Any]
    after: int
    """Where the next read begins."""
    is_deleted: bool


class Logs:
    """The logs of one kind, such as `langgraph.thread`."""

    def __init__(self, client: Client, kind: str) -> None:
        self._client = client
        self._kind = kind
        self._lock = threading.Lock()
        self._subjects: OrderedDict[str, Any] = OrderedDict()
        """Of executions that were looked at; neither ever changes."""

    def find(self, subject: Any, *, bucket: str) -> str | None:
        """The execution of a subject; None when it has no log."""
        workflow = _quote(self._workflow(bucket))
        found = [
            one.execution_id
            for one in self._found(f"workflow = {workflow} and {_LIVE}")
            if one.subject == subject
        ]
        # Newest first.
        return found[-1] if found else None

    def all(self, bucket: str | None = None) -> Iterator[Found]:
        """The logs of one bucket, or all."""
        if bucket is not None:
            return self._found(f"workflow = {_quote(self._workflow(bucket))} and {_LIVE}")
        return self._found(f"workflow ~ {_quote(self._kind + '.')} and {_LIVE}")

    def open(self, subject: Any, *, bucket: str) -> str:
        """The execution of a subject, started when there is none."""
        return self.find(subject, bucket=bucket) or self._start(subject, bucket)

    def append(self, execution_id: str, entry: dict[str, Any]) -> bool:
        """False: the log is deleted. An entry may arrive twice, so readers must not count them."""
        answer = self._client.request(
            "POST",
            f"/executions/{execution_id}/external-event",
            json={"correlation_key": _KEY, "payload": entry},
            repeatable=True,
        )
        return bool(answer["accepted"])

    def read(self, execution_id: str, after: int) -> Page:
        """The entries behind `after`."""
        entries: list[Any] = []
        while True:
            query = {"after": after, "limit": _PAGE, "types": _EVENTS}
            path = f"/executions/{execution_id}/events"
            events = self._client.request("GET", path, params=query)["events"]
            for event in events:
                after = event["sequence"]
                if event["kind"] == _DELETED:
                    return Page(entries, after, is_deleted=True)
                entries.append(event["payload"]["payload"])
            if len(events) < _PAGE:
                return Page(entries, after, is_deleted=False)

    def delete(self, execution_id: str) -> None:
        try:
            self._client.execution(execution_id).cancel()
        except SvcError as error:
            # Somebody else has deleted it.
            if self._client.execution(execution_id).describe()["status"] not in _ENDED:
                raise error

    def _start(self, subject: Any, bucket: str) -> str:
        workflow_id = self._workflow(bucket)
        self._client.workflows.register(_definition(workflow_id))
        key = f"{workflow_id}:{hashlib.sha256(_canonical(subject)).hexdigest()}"
        while True:
            handle = self._client.start(workflow_id, {"subject": subject}, idempotency_key=key)
            if handle.describe()["status"] not in _ENDED:
                return handle.id
            # The key belongs to a log that was deleted within its day.
            key = hashlib.sha256(f"{key}:{handle.id}".encode()).hexdigest()

    def _found(self, query: str) -> Iterator[Found]:
        prefix = f"{self._kind}."
        for row in self._client.executions.list(q=query):
            if row["workflow_id"].startswith(prefix):
                yield Found(row["execution_id"], self._subject_of(row["execution_id"]))

    def _subject_of(self, execution_id: str) -> Any:
        with self._lock:
            if execution_id in self._subjects:
                self._subjects.move_to_end(execution_id)
                return self._subjects[execution_id]
        subject = self._client.executions.get(execution_id)["input"].get("subject")
        with self._lock:
            self._subjects[execution_id] = subject
            if len(self._subjects) > _KNOWN_MAX:
                self._subjects.popitem(last=False)
        return subject

    def _workflow(self, bucket: str) -> str:
        return f"{self._kind}.{bucket}"


def bucket_of(value: Any) -> str:
    """One of 4 096."""
    return hashlib.sha256(_canonical(value)).hexdigest()[:3]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode()


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _definition(workflow_id: str) -> dict[str, Any]:
    wait = {"type": "wait", "condition": "external_event", "correlation_key": _KEY}
    return {
        "workflow_id": workflow_id,
        "description": "Keeps a log for LangGraph: each external event is an entry.",
        "start_node": "wait",
        "nodes": {"wait": {"kind": wait}},
        "edges": [{"from": "wait", "to": "wait"}],
    }
