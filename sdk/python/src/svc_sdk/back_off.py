"""How long to wait before the next try."""

from __future__ import annotations

import random

MIN_SECONDS = 0.25
MAX_SECONDS = 5.0


def back_off_seconds(failures: int) -> float:
    """Doubles from 250 ms to 5 s, spread over its upper half."""
    whole: float = min(MIN_SECONDS * 2 ** (min(failures, 16) - 1), MAX_SECONDS)
    return whole * random.uniform(0.5, 1)


def asked_seconds(retry_after: str | None, max_seconds: float = 60.0) -> float:
    """The seconds that `Retry-After` asks for; 0 where it asks for none."""
    try:
        return min(max(float(retry_after or 0), 0.0), max_seconds)
    except ValueError:
        return 0.0
