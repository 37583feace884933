"""Times are seconds or a `timedelta`; the wire has milliseconds."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TypeAlias

Duration: TypeAlias = float | timedelta


def to_ms(duration: Duration, name: str = "a duration") -> int:
    """Whole milliseconds, rounded up. Raises ValueError for what is no finite, positive time."""
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else duration
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise ValueError(f"{name} must be seconds or a timedelta, not {duration!r}")
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{name} must be a finite time from 0, not {duration!r}")
    return math.ceil(seconds * 1000)
