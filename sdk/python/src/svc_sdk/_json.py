"""Values as JSON: what is recorded or sent is what a later reader gets."""

from __future__ import annotations

import dataclasses
import enum
import math
import uuid
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from .errors import SerializationError

_INTEGER_MAX = 2**53 - 1


def to_json(value: object, name: str = "value") -> Any:
    """Copies a value as a reader of its JSON gets it; `name` begins the path in messages.

    Raises SerializationError for what JSON cannot hold.
    """
    return _convert(value, name, ())


def require_object(value: object, what: str, name: str = "output") -> dict[str, Any]:
    """The same for a value that must be an object; None is an empty one."""
    copy = {} if value is None else to_json(value, name)
    if isinstance(copy, dict):
        return copy
    raise SerializationError(f"{what} must be a JSON object, not {type(value).__name__}")


def _convert(value: object, path: str, parents: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Enum):
        return _convert(value.value, path, parents)
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, (int, float)):
        return _number(value, path)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if id(value) in parents:
        raise SerializationError(f"{path} contains itself; record ids in place of objects")
    return _convert_parts(value, path, (*parents, id(value)))


def _convert_parts(value: object, path: str, parents: tuple[int, ...]) -> Any:
    if isinstance(value, Mapping):
        return {
            _key(key, path): _convert(member, f"{path}.{key}", parents)
            for key, member in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_convert(item, f"{path}[{at}]", parents) for at, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _convert(getattr(value, field.name), f"{path}.{field.name}", parents)
            for field in dataclasses.fields(value)
        }
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return _convert(dump(mode="json"), path, parents)
    raise SerializationError(f"{path} is a {type(value).__name__}{_advice(value)}")


def _text(value: str, path: str) -> str:
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise SerializationError(f"{path} has U+0000 or a lone surrogate; remove it")
    return str(value)


def _number(value: float, path: str) -> float:
    if isinstance(value, int):
        if abs(value) <= _INTEGER_MAX:
            return int(value)
        raise SerializationError(f"{path} is beyond ±(2^53 - 1); use text")
    if math.isfinite(value):
        return float(value)
    raise SerializationError(f"{path} is {value}; use None or text")


def _key(key: object, path: str) -> str:
    if isinstance(key, str):
        return _text(str(key), path)
    raise SerializationError(f"{path} has the key {key!r}; keys must be text")


def _advice(value: object) -> str:
    if isinstance(value, (set, frozenset)):
        return "; use a sorted list"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "; use text in base64, or store an artifact"
    if hasattr(value, "__await__"):
        return "; await it first"
    return "; use text, numbers, lists, dicts, dataclasses or Pydantic models"
