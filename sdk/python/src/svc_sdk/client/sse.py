"""A `text/event-stream` body (WHATWG HTML, "Server-sent events")."""

from __future__ import annotations


class StreamReader:
    """Takes lines, and gives a message at the blank line that ends it."""

    def __init__(self) -> None:
        self._type = "message"
        self._data: list[str] = []

    def take(self, line: str) -> tuple[str, str] | None:
        """The type and the data of a message that the line ends."""
        if line == "":
            message = (self._type, "\n".join(self._data)) if self._data else None
            self._type, self._data = "message", []
            return message
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._type = value
        return None
