"""The store: each namespace is a log (`log.py`), and its items are the fold.

The fold is LangGraph's own `InMemoryStore`, so filters, orders and namespaces are those of LangGraph.
The process holds the items of the namespaces that it has read, and reads only what is new.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    validate_op_namespace,
)
from langgraph.store.memory import InMemoryStore

from ..client import Client
from .log import Logs, bucket_of

Namespace = tuple[str, ...]


class SvcStore(BaseStore):
    """Keeps the items of LangGraph namespaces in svc.

    >>> graph = builder.compile(store=SvcStore(Client()))  # doctest: +SKIP

    A search compares members of items; it ignores `query`, as a store without an index does.

    client: needs a token of the role `developer`.
    name: separates the items of applications that share a tenant.
    """

    def __init__(self, client: Client, *, name: str = "langgraph") -> None:
        self._logs = Logs(client, f"{name}.items")
        self._lock = threading.Lock()
        self._known: dict[Namespace, _Known] = {}
        self._fold = InMemoryStore()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads see what was there before the batch; its puts follow, the last for a key."""
        all_ops = [*ops]
        for op in all_ops:
            validate_op_namespace(op)
        puts = {(op.namespace, op.key): op for op in all_ops if isinstance(op, PutOp)}
        with self._lock:
            for op in all_ops:
                self._refresh_for(op)
            results = [self._read(op) for op in all_ops]
        for put in puts.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, [*ops])

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp) and op.namespace in self._known:
            return self._fold.get(op.namespace, op.key)
        if isinstance(op, SearchOp):
            return self._fold.batch([op])[0]
        if isinstance(op, ListNamespacesOp):
            # The fold also lists namespaces whose last item is deleted.
            filled = InMemoryStore()
            for namespace, known in self._known.items():
                if known.keys:
                    filled.put(namespace, "any", {})
            return filled.batch([op])[0]
        return None

    def _put(self, op: PutOp) -> None:
        entry = {
            "key": op.key,
            "value": None if op.value is None else [op.value],
            "at": datetime.now(timezone.utc).isoformat(),
        }
        while True:
            execution_id = self._execution_of(op.namespace)
            if self._logs.append(execution_id, entry):
                return
            with self._lock:
                self._forget(op.namespace)

    def _execution_of(self, namespace: Namespace) -> str:
        with self._lock:
            known = self._known.get(namespace)
            if known is None:
                execution_id = self._logs.open([*namespace], bucket=_bucket(namespace))
                known = self._known[namespace] = _Known(execution_id)
            return known.execution_id

    def _refresh_for(self, op: Op) -> None:
        if isinstance(op, GetOp):
            self._refresh(op.namespace)
        elif isinstance(op, (SearchOp, ListNamespacesOp)):
            prefix = op.namespace_prefix if isinstance(op, SearchOp) else ()
            bucket = _bucket(prefix) if len(prefix) >= _BUCKET_LABELS else None
            for found in self._logs.all(bucket):
                namespace: Namespace = tuple(found.subject)
                if namespace[: len(prefix)] == prefix:
                    self._refresh(namespace, found.execution_id)

    def _refresh(self, namespace: Namespace, execution_id: str | None = None) -> None:
        known = self._known.get(namespace)
        while True:
            if known is None:
                found = execution_id or self._logs.find([*namespace], bucket=_bucket(namespace))
                if found is None:
                    return
                known = self._known[namespace] = _Known(found)
            page = self._logs.read(known.execution_id, known.after)
            if not page.is_deleted:
                known.after = page.after
                for entry in page.entries:
                    self._fold_entry(namespace, known.keys, entry)
                return
            self._forget(namespace)
            known = execution_id = None

    def _fold_entry(self, namespace: Namespace, keys: set[str], entry: dict[str, Any]) -> None:
        key, value, at = entry["key"], entry["value"], datetime.fromisoformat(entry["at"])
        if value is None:
            self._fold.delete(namespace, key)
            keys.discard(key)
            return
        keys.add(key)
        before = self._fold.get(namespace, key)
        self._fold.put(namespace, key, value[0])
        item = self._fold.get(namespace, key)
        if item is not None:
            item.created_at = at if before is None else before.created_at
            item.updated_at = at

    def _forget(self, namespace: Namespace) -> None:
        """Somebody has cancelled the execution of the namespace."""
        known = self._known.pop(namespace, None)
        for key in known.keys if known is not None else ():
            self._fold.delete(namespace, key)


class _Known:
    def __init__(self, execution_id: str) -> None:
        self.execution_id = execution_id
        self.after = 0
        self.keys: set[str] = set()
        """Of its items."""


_BUCKET_LABELS = 2
"""A search below so many labels, such as `("memories", user)`, looks at one bucket."""


def _bucket(namespace: Namespace) -> str:
    return bucket_of([*namespace[:_BUCKET_LABELS]])
