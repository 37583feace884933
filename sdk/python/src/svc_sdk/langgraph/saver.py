"""The checkpointer: each thread is a log (`log.py`), and the checkpoints are its fold.

A fold is LangGraph's own `InMemorySaver`, so reads, filters and orders are those of LangGraph. It
holds references where values are long. A process keeps the folds of the threads that it used last,
and reads only what is new.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..client import Client
from .blobs import Reader, pack, unpack
from .log import Logs, bucket_of

_THREADS_MAX = 128


class _Thread:
    """What this process knows of a thread."""

    def __init__(self, thread_id: str) -> None:
        self.id = thread_id
        self.lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        self.execution_id: str | None = None
        self.after = 0
        self.fold = InMemorySaver()


class SvcSaver(BaseCheckpointSaver[str]):
    """Keeps the checkpoints of LangGraph threads in svc.

    >>> graph = builder.compile(checkpointer=SvcSaver(Client()))  # doctest: +SKIP

    client: needs a token of the role `developer`.
    name: separates the threads of applications that share a tenant.
    """

    def __init__(
        self, client: Client, *, name: str = "langgraph", serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._client = client
        self._logs = Logs(client, f"{name}.thread")
        self._threads: OrderedDict[str, _Thread] = OrderedDict()
        self._lock = threading.Lock()

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread = self._thread(config["configurable"]["thread_id"])
        with thread.lock:
            self._refresh(thread)
            return thread.fold.get_tuple(config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        left = limit
        for thread_id in self._thread_ids(config):
            if left is not None and left <= 0:
                return
            own = config or {"configurable": {"thread_id": thread_id}}
            for found in self._snapshot(thread_id).list(
                own, filter=filter, before=before, limit=left
            ):
                yield found
                left = None if left is None else left - 1

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        configurable = config["configurable"]
        thread_id, namespace = configurable["thread_id"], configurable.get("checkpoint_ns", "")
        bare: dict[str, Any] = {**checkpoint}
        values: dict[str, Any] = bare.pop("channel_values")
        self._append(
            thread_id,
            {
                "op": "put",
                "ns": namespace,
                "id": checkpoint["id"],
                "parent": configurable.get("checkpoint_id"),
                "checkpoint": self._pack(bare),
                "metadata": self._pack(get_checkpoint_metadata(config, metadata)),
                "values": [
                    [channel, version, self._pack(values[channel]) if channel in values else None]
                    for channel, version in new_versions.items()
                ],
            },
        )
        return _config_of(thread_id, namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        configurable = config["configurable"]
        self._append(
            configurable["thread_id"],
            {
                "op": "writes",
                "ns": configurable.get("checkpoint_ns", ""),
                "id": configurable["checkpoint_id"],
                "task": task_id,
                "path": task_path,
                "writes": [
                    [WRITES_IDX_MAP.get(channel, at), channel, self._pack(value)]
                    for at, (channel, value) in enumerate(writes)
                ],
            },
        )

    def delete_thread(self, thread_id: str) -> None:
        """Deletes the thread for all readers. A retention policy removes what it has recorded."""
        thread = self._thread(thread_id)
        with thread.lock:
            thread.forget()
            execution_id = self._logs.find(thread_id, bucket=bucket_of(thread_id))
            if execution_id is not None:
                self._logs.delete(execution_id)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    def get_next_version(self, current: str | None, channel: None) -> str:
        # Two writers on one checkpoint must not give two values the same version.
        return InMemorySaver().get_next_version(current, channel)

    def _pack(self, value: Any) -> Any:
        return pack(self._client, self.serde.dumps_typed(value))

    def _append(self, thread_id: str, entry: dict[str, Any]) -> None:
        thread, bucket = self._thread(thread_id), bucket_of(thread_id)
        while True:
            with thread.lock:
                if thread.execution_id is None:
                    thread.execution_id = self._logs.open(thread_id, bucket=bucket)
                execution_id = thread.execution_id
            # Outside of the lock: entries of parallel tasks go side by side.
            if self._logs.append(execution_id, entry):
                return
            with thread.lock:
                if thread.execution_id == execution_id:
                    thread.forget()

    def _thread_ids(self, config: RunnableConfig | None) -> Iterator[str]:
        if config is not None:
            yield config["configurable"]["thread_id"]
            return
        seen: set[str] = set()
        for found in self._logs.all():
            if isinstance(found.subject, str) and found.subject not in seen:
                seen.add(found.subject)
                yield found.subject

    def _thread(self, thread_id: str) -> _Thread:
        with self._lock:
            thread = self._threads.setdefault(thread_id, _Thread(thread_id))
            self._threads.move_to_end(thread_id)
            if len(self._threads) > _THREADS_MAX:
                self._threads.popitem(last=False)
            return thread

    def _refresh(self, thread: _Thread) -> None:
        """Folds what others and this process have written since."""
        thread.fold.serde = Reader(self._client, self.serde)
        if thread.execution_id is None:
            thread.execution_id = self._logs.find(thread.id, bucket=bucket_of(thread.id))
        while thread.execution_id is not None:
            page = self._logs.read(thread.execution_id, thread.after)
            if not page.is_deleted:
                thread.after = page.after
                for entry in page.entries:
                    _fold(thread, entry)
                return
            thread.forget()
            thread.fold.serde = Reader(self._client, self.serde)
            thread.execution_id = self._logs.find(thread.id, bucket=bucket_of(thread.id))

    def _snapshot(self, thread_id: str) -> InMemorySaver:
        """A copy, to iterate over while others write."""
        thread = self._thread(thread_id)
        with thread.lock:
            self._refresh(thread)
            copy = InMemorySaver(serde=thread.fold.serde)
            for namespace, checkpoints in thread.fold.storage[thread_id].items():
                copy.storage[thread_id][namespace] = {**checkpoints}
            for key, writes in thread.fold.writes.items():
                copy.writes[key] = {**writes}
            copy.blobs = {**thread.fold.blobs}
            return copy


def _fold(thread: _Thread, entry: dict[str, Any]) -> None:
    """Comes to the same when an entry arrives twice."""
    fold, namespace = thread.fold, entry["ns"]
    if entry["op"] == "put":
        for channel, version, packed in entry["values"]:
            fold.blobs[(thread.id, namespace, channel, version)] = (
                ("empty", b"") if packed is None else unpack(packed)
            )
        fold.storage[thread.id][namespace][entry["id"]] = (
            unpack(entry["checkpoint"]),
            unpack(entry["metadata"]),
            entry["parent"],
        )
    elif entry["op"] == "writes":
        known = fold.writes[(thread.id, namespace, entry["id"])]
        for at, channel, packed in entry["writes"]:
            key = (entry["task"], at)
            # The first result of a task counts; errors and interrupts replace what came before.
            if at < 0 or key not in known:
                known[key] = (entry["task"], channel, unpack(packed), entry["path"])


def _config_of(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": namespace,
            "checkpoint_id": checkpoint_id,
        }
    }
