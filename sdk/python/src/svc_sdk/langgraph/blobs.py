"""Values of a serializer, as members of log entries: short ones inline, longer ones as artifacts.

A channel that does not change between checkpoints is the same content, so it is one artifact.
"""

from __future__ import annotations

import base64
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from ..client import Client

INLINE_BYTES_MAX = 1024
_ARTIFACT = "artifact+"

Typed = tuple[str, bytes]


def pack(client: Client, typed: Typed) -> list[Any]:
    kind, content = typed
    if len(content) <= INLINE_BYTES_MAX:
        return [kind, base64.b64encode(content).decode()]
    stored = client.artifacts.put(content)
    # A reference keeps the artifact as long as the execution.
    return [kind, {"$artifact": stored["hash"], "size": stored["size"]}]


def unpack(packed: list[Any]) -> Typed:
    """Leaves an artifact where it is: `Reader` fetches it."""
    kind, content = packed
    if isinstance(content, str):
        return kind, base64.b64decode(content)
    return _ARTIFACT + kind, content["$artifact"].encode()


class Reader:
    """A serializer that fetches artifacts when it loads them."""

    def __init__(self, client: Client, serde: SerializerProtocol) -> None:
        self._client = client
        self._serde = serde

    def dumps_typed(self, obj: Any) -> Typed:
        return self._serde.dumps_typed(obj)

    def loads_typed(self, data: Typed) -> Any:
        kind, content = data
        if kind.startswith(_ARTIFACT):
            kind = kind.removeprefix(_ARTIFACT)
            content = self._client.artifacts.get(content.decode())
        return self._serde.loads_typed((kind, content))
