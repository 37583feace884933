"""Every error of the SDK.

Errors of the client are `SvcError`s and say what to do next. `Fatal` and `RetryAfter` are for your
own code to raise. The others reach the code of a durable function.
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from typing import Any

from ._duration import Duration, to_ms


class SvcError(Exception):
    """Base of all errors that the client raises."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        body: Any = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Stable, for programs: `not_found`, `limit_exceeded`, `timeout`, …"""
        self.status = status
        """The HTTP status; None: there was no answer."""
        self.body = body
        self.request_id = request_id
        """`X-Request-Id` of the answer, which is in the log of the service too."""


class ValidationError(SvcError):
    """400, 413, 415, 422: the request is wrong. With the code `not_json` it was not sent."""


class AuthenticationError(SvcError):
    """401: there is no token, or the service does not accept it."""


class PermissionDeniedError(SvcError):
    """403: the role of the token, or the state of the tenant, does not allow the request."""


class NotFoundError(SvcError):
    """404: this tenant has no such thing."""


class ConflictError(SvcError):
    """409: the request contradicts the current state."""


class LimitError(SvcError):
    """402 and 429: a limit is reached."""

    retry_after: float | None = None
    """Seconds that the service asks for; None: it names no time."""


class UnavailableError(SvcError):
    """408, 502, 503, 504: the service cannot answer now. The outcome of a change is unknown."""

    retry_after: float | None = None


class ConnectionFailedError(SvcError, ConnectionError):
    """No connection, a broken one, or something else than svc at the address."""

    never_sent: bool = False
    """True: the request has reached nobody, so it is safe to send it again."""


class TimedOutError(SvcError, TimeoutError):
    """The time that the caller gave is over. An execution continues."""

    execution_id: str | None = None


class ExecutionFailedError(SvcError):
    """The execution whose result you asked for has failed."""

    def __init__(
        self, message: str, *, execution_id: str, error_class: str, node_id: str | None
    ) -> None:
        super().__init__(message, code="execution_failed")
        self.execution_id = execution_id
        self.error_class = error_class
        self.node_id = node_id


class ExecutionCancelledError(SvcError):
    """Somebody cancelled the execution whose result you asked for."""

    def __init__(self, message: str, *, execution_id: str) -> None:
        super().__init__(message, code="execution_cancelled")
        self.execution_id = execution_id


class WorkerRefusedError(Exception):
    """The runtime refuses the worker: its address, token, role or request is wrong."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Fatal(Exception):
    """Raise it in a tool, a step or a function: no further attempt follows."""

    error_class: str = "Fatal"


class SerializationError(Fatal):
    """A value that JSON cannot hold. The message names its place."""

    error_class = "SerializationError"


class RetryAfter(Exception):
    """Raise it in a tool, a step or a function: the next attempt begins after that time.

    It replaces the back-off of the retry policy and counts as a failed attempt. A wait of more than
    30 days counts as 30 days. Message and class are those of the cause: `raise RetryAfter(30) from error`.
    """

    def __init__(self, wait: Duration | datetime, message: str | None = None) -> None:
        super().__init__(message or "try again later")
        self._message = message
        if isinstance(wait, datetime):
            self._until: datetime | None = wait
            self._ms = 0
        else:
            self._until = None
            self._ms = to_ms(wait, "the wait")

    def delay_ms(self) -> int:
        """Milliseconds until the next attempt."""
        ms: float = self._ms
        if self._until is not None:
            until = self._until
            aware = until if until.tzinfo is not None else until.astimezone()
            ms = (aware - datetime.now(timezone.utc)) / timedelta(milliseconds=1)
        return math.ceil(min(max(0, ms), _WAIT_MS_MAX))

    def describe(self) -> tuple[str, str]:
        cause = self.__cause__
        if cause is None:
            return str(self), "RetryAfter"
        message, error_class = describe_error(cause)
        return self._message or message, error_class


_WAIT_MS_MAX = 30 * 86_400_000


class Cancelled(Exception):
    """The work must stop: the execution is cancelled, or the worker stops."""


class ExecutionCancelled(Cancelled):
    """Somebody cancelled the execution."""


class LeaseLost(Cancelled):
    """The worker no longer holds the item: its lease expired, or its execution ended."""


class StepError(Exception):
    """A step failed after its last attempt. A replay raises the same error."""

    def __init__(self, message: str, *, step: str, error_class: str, attempts: int) -> None:
        super().__init__(message)
        self.step = step
        self.error_class = error_class
        self.attempts = attempts


class WaitTimeoutError(TimeoutError):
    """An event or an approval did not come in time."""

    def __init__(self, message: str, *, wait: str) -> None:
        super().__init__(message)
        self.wait = wait


class ChildError(Exception):
    """An execution that `ctx.call` started did not complete."""

    def __init__(self, message: str, *, call: str, error_class: str) -> None:
        super().__init__(message)
        self.call = call
        self.error_class = error_class


class NonDeterminismError(Exception):
    """The code of a function does not fit the journal of its earlier turns."""

    def __init__(self, *, recorded: str, asked: str) -> None:
        super().__init__(
            f"The journal has {recorded}, and the code asks for {asked}. "
            "Run the code that recorded the journal, or branch with ctx.version()."
        )
        self.recorded = recorded
        self.asked = asked


class FunctionLimitError(Exception):
    """A function exceeds a documented limit: entries of a visit, or waits at once."""


class ContinueAsNewError(Fatal):
    """The function cannot continue as new: rollbacks are registered, or code caught its signal."""

    error_class = "ContinueAsNewError"


class BudgetExceededError(Fatal):
    """The steps of the function have used up a budget. No further step runs in this turn."""

    error_class = "budget_exceeded"


def describe_error(error: BaseException) -> tuple[str, str]:
    """The message and the class that the runtime records for an exception."""
    if isinstance(error, RetryAfter):
        return error.describe()
    own = getattr(error, "error_class", None)
    name = type(error).__name__
    message = str(error) or name
    if isinstance(error, KeyError) and error.args:
        # Its text is the key alone.
        message = f"{name}: {message}"
    return message, own if isinstance(own, str) else name
