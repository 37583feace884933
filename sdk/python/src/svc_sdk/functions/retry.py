"""How often a step is tried."""

from __future__ import annotations

from dataclasses import dataclass

from .._duration import Duration, to_ms
from ..errors import Fatal, RetryAfter

PAUSE_IN_TURN_MS_MAX = 5000
"""A longer pause suspends the function, so that no process waits for it."""


@dataclass(frozen=True)
class Retry:
    """Times are seconds or a timedelta."""

    max_attempts: int = 5
    initial_interval: Duration = 0.5
    backoff: float = 2.0
    max_interval: Duration = 300.0

    def delay_ms(self, error: BaseException, attempt: int) -> float | None:
        """The pause after `attempt` attempts; None: no attempt follows."""
        if isinstance(error, Fatal) or attempt >= self.max_attempts:
            return None
        if isinstance(error, RetryAfter):
            return error.delay_ms()
        first, most = to_ms(self.initial_interval), to_ms(self.max_interval)
        return min(first * self.backoff ** (attempt - 1), most)
