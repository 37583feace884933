"""Errors that say what to do next."""

from __future__ import annotations

import json
from typing import Any

import httpx

from .._environment import Address
from ..errors import (
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    LimitError,
    NotFoundError,
    PermissionDeniedError,
    SvcError,
    TimedOutError,
    UnavailableError,
    ValidationError,
)

_CODES = {401: "unauthorized", 402: "limit_exceeded", 403: "forbidden", 404: "not_found"}
_CODES |= {409: "conflict", 429: "limit_exceeded", 500: "internal"}
_CLASSES: dict[int, type[SvcError]] = {
    400: ValidationError,
    413: ValidationError,
    415: ValidationError,
    422: ValidationError,
    401: AuthenticationError,
    402: LimitError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: UnavailableError,
    409: ConflictError,
    429: LimitError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def explain_answer(address: Address, response: httpx.Response) -> SvcError:
    """The error for an answer of an error status, whose body is read."""
    status = response.status_code
    try:
        body: Any = response.json()
    except ValueError:
        body = None
    said = _message_in(body)
    is_proxys = status >= 500 or status in (408, 429)
    # Other services have a field `error` too, often with the status's own name.
    if not is_proxys and (said is None or (status == 404 and not said.startswith("not found: "))):
        return foreign_service(address, f"HTTP status {status} without an error of svc")
    return explain_refusal(
        address,
        status,
        said or f"HTTP status {status}",
        body=body if body is not None else response.text,
        request_id=response.headers.get("x-request-id"),
        retry_after=_read_seconds(response.headers.get("retry-after")),
    )


def explain_refusal(
    address: Address,
    status: int,
    said: str,
    *,
    body: Any = None,
    request_id: str | None = None,
    retry_after: float | None = None,
) -> SvcError:
    code = body.get("code") if isinstance(body, dict) else None
    if not isinstance(code, str):
        default = "bad_request" if status < 500 else "unavailable"
        code = _CODES.get(status, default)
    kind = _CLASSES.get(status, SvcError)
    message = said + _advice(address, status)
    error = kind(message, code=code, status=status, body=body, request_id=request_id)
    if isinstance(error, (LimitError, UnavailableError)):
        error.retry_after = retry_after
    return error


def foreign_service(address: Address, found: str) -> ConnectionFailedError:
    return ConnectionFailedError(
        f"what answers at {address.url} is not svc: it gave {found}; check the address and the port",
        code="foreign_service",
    )


def explain_no_answer(address: Address, cause: httpx.HTTPError) -> SvcError:
    """The error for a request that got no answer."""
    if isinstance(cause, httpx.TimeoutException) and not isinstance(cause, httpx.ConnectTimeout):
        return TimedOutError(
            f"no answer from {address.url} in time; raise the timeout, or see whether svc is "
            "overloaded",
            code="timeout",
        )
    never_sent = isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout))
    advice = (
        'check the address and the port, and that svc is running: start it with "svc dev"'
        if never_sent
        else "whether the request took effect is not known"
    )
    why = str(cause) or type(cause).__name__
    error = ConnectionFailedError(
        f"no answer from {address.url}: {why}; {advice}", code="connection"
    )
    error.never_sent = never_sent
    return error


def read_json(address: Address, response: httpx.Response) -> Any:
    """The body of an answer that is no error; None when it has none."""
    if not response.content:
        return None
    try:
        return json.loads(response.content)
    except ValueError:
        kind = response.headers.get("content-type", "nothing")
        raise foreign_service(address, f"{kind} for {response.request.url.path}") from None


def _advice(address: Address, status: int) -> str:
    if status == 401 and address.token is None:
        return (
            ": no token was sent; pass Client(token=…) or set SVC_TOKEN. "
            'Make one with "svc token create --name NAME --role ROLE"'
        )
    if status == 401:
        return (
            f": {address.url} does not accept this token; it may be revoked, expired, or of another "
            'runtime. Make one with "svc token create --name NAME --role ROLE"'
        )
    if status == 404 and address.tenant is not None:
        return f" (in tenant {address.tenant})"
    return f" ({address.url})" if status in (403, 408, 502, 503, 504) else ""


def _message_in(body: Any) -> str | None:
    if not isinstance(body, dict):
        return None
    message = body.get("error", body.get("reason"))
    return message if isinstance(message, str) else None


def _read_seconds(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
