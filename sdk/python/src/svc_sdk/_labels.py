"""Labels of executions that code sets.

What the runtime refuses raises Fatal here: another attempt would set it again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping

from .errors import Fatal

_LABELS_MAX = 16
_LENGTH_MAX = 128
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}")


class LabelSet:
    """Gathers the labels that a tool sets; its output carries them."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        # A tool may use threads of its own.
        self._lock = threading.Lock()

    def set(self, labels: Mapping[str, str]) -> None:
        check_labels(labels)
        with self._lock:
            together = {**self._labels, **labels}
            _check_count(together)
            self._labels = together

    @property
    def labels(self) -> dict[str, str]:
        return {**self._labels}


def check_labels(labels: Mapping[str, str]) -> None:
    for name, value in labels.items():
        _check_label(name, value)
    _check_count(labels)


def _check_count(labels: Mapping[str, str]) -> None:
    if len(labels) > _LABELS_MAX:
        raise Fatal(f"an execution has at most {_LABELS_MAX} labels: {len(labels)} are set")


def _check_label(name: object, value: object) -> None:
    """Annotations do not bind callers."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise Fatal(
            f"the name of a label has at most {_LENGTH_MAX} letters, digits and characters of "
            f"_.:/-, and begins with a letter or a digit: {name!r}"
        )
    if not isinstance(value, str):
        raise Fatal(f"the label {name!r} must be text, not {type(value).__name__}")
    if not 1 <= _utf16_length(value) <= _LENGTH_MAX or "\0" in value:
        raise Fatal(f"the label {name!r} must have 1 to {_LENGTH_MAX} characters, without U+0000")


def _utf16_length(text: str) -> int:
    """The runtime counts the code units of UTF-16."""
    return len(text) + sum(one > "\uffff" for one in text)
