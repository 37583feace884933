"""Reads `text/event-stream` (WHATWG HTML, "Server-sent events") line by line."""

from __future__ import annotations

import json
from typing import Any

from svc_sdk.errors import SvcError, UnavailableError


class EventReader:
    def __init__(self) -> None:
        self._type = "message"
        self._data: list[str] = []

    def take(self, line: str) -> dict[str, Any] | None:
        """The event that this line completes, if it completes one."""
        if line == "":
            return self._end()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        return None

    def _end(self) -> dict[str, Any] | None:
        kind, data = self._type, self._data
        self._type, self._data = "message", []
        if not data:
            return None
        message: dict[str, Any] = json.loads("\n".join(data))
        if kind == "error":
            raise _error_of(message)
        return message


def _error_of(message: dict[str, Any]) -> SvcError:
    status = message.get("status")
    said = str(message.get("error", "the stream ended with an error"))
    kind = UnavailableError if not isinstance(status, int) or status >= 500 else SvcError
    return kind(said, status=status if isinstance(status, int) else None, body=message)
