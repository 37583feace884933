"""Recorded JSON as the types that code names in its annotations."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
import typing
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, Union, get_args, get_origin, get_type_hints

from .errors import Fatal

_FROM_TEXT: dict[Any, Callable[[str], object]] = {
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    time: time.fromisoformat,
    uuid.UUID: uuid.UUID,
}
_LISTS = (list, Sequence)
_MAPPINGS = (dict, Mapping)


class DecodeError(Fatal):
    """JSON that does not have the shape of its annotation."""

    error_class = "ValidationError"


def decode(kind: Any, value: Any, name: str = "input") -> Any:
    """`value` as a `kind`. Types that the SDK does not know leave the value as it is."""
    if kind is Any or typing.is_typeddict(kind) or _is_instance(value, kind):
        return value
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, name)
    if hasattr(kind, "model_validate"):
        return _decode_model(kind, value, name)
    if kind in _FROM_TEXT or (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        return _decode_text(kind, value, name)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind in (str, int, float, bool, dict, list):
        raise DecodeError(f"{name} must be {kind.__name__}, not {type(value).__name__}")
    return _decode_generic(kind, value, name)


def return_type(function: Callable[..., object]) -> Any:
    """The annotated return type of a function; Any when it has none."""
    return _hints(function).get("return", Any)


def parameter_types(function: Callable[..., object]) -> list[Any]:
    """The types of the positional parameters; Any for those without an annotation."""
    hints = _hints(function)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [hints.get(one.name, Any) for one in parameters if one.kind in kinds]


def _is_instance(value: Any, kind: Any) -> bool:
    try:
        return isinstance(kind, type) and isinstance(value, kind)
    except TypeError:
        # A protocol that is for the type checker alone.
        return False


def _hints(function: Callable[..., object]) -> dict[str, Any]:
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    try:
        return get_type_hints(target)
    except (NameError, TypeError):
        # Annotations of names that exist for the type checker alone.
        return {}


def _decode_dataclass(kind: type, value: Any, name: str) -> Any:
    if not isinstance(value, Mapping):
        raise DecodeError(f"{name} must be an object, not {type(value).__name__}")
    hints = get_type_hints(kind)
    members = {}
    for field in dataclasses.fields(kind):
        if not field.init:
            continue
        if field.name in value:
            own = f"{name}.{field.name}"
            members[field.name] = decode(hints[field.name], value[field.name], own)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise DecodeError(f"{name} misses {field.name}")
    return kind(**members)


def _decode_model(kind: Any, value: Any, name: str) -> Any:
    try:
        return kind.model_validate(value)
    except ValueError as error:
        raise DecodeError(f"{name}: {error}") from error


def _decode_text(kind: Any, value: Any, name: str) -> Any:
    try:
        return _FROM_TEXT.get(kind, kind)(value)
    except (ValueError, TypeError) as error:
        raise DecodeError(f"{name} must be {kind.__name__}: {error}") from error


def _decode_generic(kind: Any, value: Any, name: str) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _decode_union(args, value, name)
    if origin in _LISTS and isinstance(value, list):
        return [decode(args[0], item, f"{name}[{at}]") for at, item in enumerate(value)]
    if origin is tuple and isinstance(value, list):
        kinds = [args[0]] * len(value) if args[1:] == (...,) else list(args)
        pairs = zip(kinds, value, strict=False)
        return tuple(decode(one, item, f"{name}[{at}]") for at, (one, item) in enumerate(pairs))
    if origin in _MAPPINGS and isinstance(value, Mapping):
        return {key: decode(args[1], member, f"{name}.{key}") for key, member in value.items()}
    if origin is typing.Annotated:
        return decode(args[0], value, name)
    return value


def _decode_union(kinds: tuple[Any, ...], value: Any, name: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    refused: DecodeError | None = None
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return decode(kind, value, name)
        except DecodeError as error:
            refused = error
    raise refused or DecodeError(f"{name} is none of the types that it may have")
