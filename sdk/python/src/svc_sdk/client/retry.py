"""Which requests are sent again, and after which pause."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from ..errors import (
    ConnectionFailedError,
    LimitError,
    SvcError,
    TimedOutError,
    UnavailableError,
)


@dataclass(frozen=True)
class RetryPolicy:
    attempts: int = 4
    base: float = 0.1
    """Seconds before the second attempt, at most; doubled from one to the next."""
    longest: float = 10.0


_REPEATABLE = re.compile(
    r"/executions(/batch|/import)?"
    r"|/executions/[^/]+/(cancel|pause|resume|build|fork)"
    r"|/workflows(/validate|/simulate|/[^/]+/(pause|resume))?"
    r"|/schedules/(preview|[^/]+/(trigger|backfill))"
    r"|/work-items/[^/]+/(heartbeat|steps|suspend|continue)"
    r"|/artifacts|/v1/memory/(recall|forget|settings|settings/test)"
    r"|/agents/(preview|[^/]+/(activate|deactivate|heartbeat))"
)
"""Changes that leave the same behind when they are made twice. Starts carry idempotency keys."""


def is_repeatable(method: str, path: str) -> bool:
    if method == "GET" or (method == "PUT" and not path.startswith("/work-items")):
        return True
    return method in ("POST", "PATCH") and _REPEATABLE.fullmatch(path) is not None


def retry_delay(
    error: SvcError, attempts: int, policy: RetryPolicy, *, repeatable: bool
) -> float | None:
    """Seconds before the next attempt; None: the error is final."""
    if attempts >= policy.attempts or not is_worth_retrying(error, repeatable=repeatable):
        return None
    # Full jitter: many clients that fail together come back apart.
    jitter = random.random() * min(policy.longest, policy.base * 2.0 ** (attempts - 1))
    asked = getattr(error, "retry_after", None)
    if asked is None:
        return jitter
    return None if asked > policy.longest else float(asked) + jitter


def is_worth_retrying(error: SvcError, *, repeatable: bool) -> bool:
    if isinstance(error, LimitError):
        # A request that a limit refuses has changed nothing.
        return error.status == 429
    if isinstance(error, ConnectionFailedError):
        return error.code != "foreign_service" and (error.never_sent or repeatable)
    return repeatable and isinstance(error, (UnavailableError, TimedOutError))


class Outage:
    """Carries a long wait over an outage of the service, such as a restart, of up to a minute."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._delay = 0.1

    def over(self) -> None:
        self._since, self._delay = None, 0.1

    def pause(self, now: float, error: SvcError | None = None) -> float:
        """Seconds before the next attempt. Raises the error where it is none, or lasts too long."""
        if error is not None:
            self._since = now if self._since is None else self._since
            if now - self._since > 60 or not is_worth_retrying(error, repeatable=True):
                raise error
        delay = random.random() * self._delay
        self._delay = min(self._delay * 2, 5.0)
        return delay
