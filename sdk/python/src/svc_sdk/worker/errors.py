"""What tools raise, and what the worker tells them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone


class Fatal(Exception):
    """Raised by a tool: another attempt would fail, too.

    The runtime records the class `NonRetryableError`. The retry policy of the node names it in
    `non_retryable_on`.
    """


class RetryAfter(Exception):
    """Raised by a tool: the next attempt follows after this time, whatever the retry policy says.

    `wait` is in seconds, a `timedelta`, or a `datetime` with a time zone; at most 30 days. The
    failure counts as an attempt. Message and class are those of `cause`, if there is one.
    """

    def __init__(
        self,
        wait: float | timedelta | datetime,
        message: str | None = None,
        *,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(message or (str(cause) if cause is not None else "try again later"))
        if isinstance(wait, datetime) and wait.tzinfo is None:
            raise ValueError("the time of the next attempt needs a time zone")
        self.cause = cause
        self._wait = wait

    def delay_ms(self) -> int:
        if isinstance(self._wait, datetime):
            seconds = (self._wait - datetime.now(timezone.utc)).total_seconds()
        elif isinstance(self._wait, timedelta):
            seconds = self._wait.total_seconds()
        else:
            seconds = self._wait
        return int(min(max(seconds, 0), _WAIT_SECONDS_MAX) * 1000)


_WAIT_SECONDS_MAX = 30 * 86_400


class StoppedError(Exception):
    """The work of a tool is of no use any more; see the subclasses."""


class LeaseLostError(StoppedError):
    """The worker no longer holds the item: its lease expired, or its execution ended."""


class CancelledError(StoppedError):
    """Somebody has asked for the execution to be cancelled."""


class ShutdownError(StoppedError):
    """The worker stops, and the time for its work is up."""


class WorkerRefusedError(Exception):
    """The runtime refuses the worker, for example for its token; repeating changes nothing."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def describe(error: BaseException) -> tuple[str, str]:
    """The message and the class that the runtime records for what a tool has raised."""
    if isinstance(error, Fatal):
        return str(error) or "the tool gave up", "NonRetryableError"
    if isinstance(error, RetryAfter):
        own = type(error.cause).__name__ if error.cause is not None else "RetryAfter"
        return str(error), own
    name = type(error).__name__
    return str(error) or name, name
