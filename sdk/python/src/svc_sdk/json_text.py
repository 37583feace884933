"""JSON as the runtime takes it."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass
from typing import Any


class NotJsonError(ValueError):
    """The value has something that JSON cannot hold."""


def to_json(value: Any) -> bytes:
    """Accepts dataclasses and Pydantic models beside the types of the `json` module."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
        )
        return text.encode()
    except (TypeError, ValueError) as error:
        raise NotJsonError(str(error)) from error


def to_object(value: Any) -> dict[str, Any]:
    """The value as a JSON object, in the types of the `json` module; `None` is the empty object."""
    read = json.loads(to_json({} if value is None else value))
    if not isinstance(read, dict):
        raise NotJsonError(f"an object is required, not {type(value).__name__}")
    return read


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
