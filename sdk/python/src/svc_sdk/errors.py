"""Errors of the clients. Their messages say what to do next."""

from __future__ import annotations

from typing import Any


class SvcError(Exception):
    """Base of all errors that the clients raise."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        body: Any = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; None: there was no answer."""
        self.body = body
        """The body of the answer, as it was sent."""
        self.request_id = request_id
        """`X-Request-Id` of the answer, which the log of the service has, too."""
        self.retry_after = retry_after
        """Seconds that the service asks to wait; None: it asks for none."""


class InvalidRequestError(SvcError):
    """400, 413, 415, 422: the request is wrong, however often it is sent."""


class AuthenticationError(SvcError):
    """401: there is no token, or the service does not accept it."""


class ForbiddenError(SvcError):
    """403: the role of the token, or the state of the tenant, does not allow it."""


class NotFoundError(SvcError):
    """404: there is no such thing in this tenant."""


class ConflictError(SvcError):
    """409: the request contradicts the current state."""


class LimitError(SvcError):
    """402 and 429: a limit is reached."""


class UnavailableError(SvcError):
    """5xx and 408: the service cannot answer now. Whether a change took effect is not known."""


class NoConnectionError(SvcError):
    """No connection, a broken one, or something else than svc at the address."""

    def __init__(self, message: str, *, never_sent: bool) -> None:
        super().__init__(message)
        self.never_sent = never_sent
        """The request has reached nobody, so it is safe to send it again."""


class ResultTimeoutError(SvcError, TimeoutError):
    """The execution has not ended within the time that the caller gave. It continues."""

    def __init__(self, message: str, *, execution_id: str) -> None:
        super().__init__(message)
        self.execution_id = execution_id


class ExecutionFailedError(SvcError):
    """The execution whose result was asked for has failed."""

    def __init__(
        self, message: str, *, execution_id: str, error_class: str, node_id: str | None
    ) -> None:
        super().__init__(message)
        self.execution_id = execution_id
        self.error_class = error_class
        """The class of the failure, such as `timeout`."""
        self.node_id = node_id
        """The node that failed; None: none did."""


class ExecutionCancelledError(SvcError):
    """The execution whose result was asked for was cancelled."""

    def __init__(self, message: str, *, execution_id: str) -> None:
        super().__init__(message)
        self.execution_id = execution_id
