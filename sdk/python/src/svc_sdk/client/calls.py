"""What both clients do, without doing it: requests, answers, and when to send again."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from svc_sdk.errors import (
    AuthenticationError,
    ConflictError,
    ExecutionCancelledError,
    ExecutionFailedError,
    ForbiddenError,
    InvalidRequestError,
    LimitError,
    NoConnectionError,
    NotFoundError,
    ResultTimeoutError,
    SvcError,
    UnavailableError,
)
from svc_sdk.json_text import NotJsonError, to_json
from svc_sdk.settings import Settings

Json = dict[str, Any]

ATTEMPTS = 4
RETRY_BASE_SECONDS = 0.1
RETRY_MAX_SECONDS = 10.0
ANSWER_SECONDS = 30.0
CONNECT_SECONDS = 10.0
WAIT_SECONDS_MAX = 30.0
"""Below the time after which proxies give up on an answer; the service takes 60 s at most."""
OUTAGE_SECONDS_MAX = 60.0
"""Who waits for a result, waits out an outage of this length."""
LIST_PAGE = 200
EVENTS_PAGE = 500
START_MANY_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the service."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True
    """Sent again although the first may have taken effect: it leaves the same behind."""
    seconds: float = ANSWER_SECONDS

    def build(self, settings: Settings) -> httpx.Request:
        try:
            content = None if self.body is None else to_json(self.body)
        except NotJsonError as error:
            raise InvalidRequestError(f"the request is not JSON: {error}") from error
        return httpx.Request(
            self.method,
            f"{settings.url}{self.path}",
            params={key: value for key, value in self.query.items() if value is not None},
            content=content,
            headers={**settings.headers(), **self.headers},
            extensions={"timeout": _timeout(self.seconds)},
        )

    def retry_delay(self, error: SvcError, attempts: int) -> float | None:
        """Seconds before the next attempt; None: the error is final."""
        if attempts >= ATTEMPTS or not self._is_worth_retrying(error):
            return None
        # Full jitter: many clients that fail together come back apart.
        whole = min(RETRY_MAX_SECONDS, RETRY_BASE_SECONDS * 2.0 ** (attempts - 1))
        jitter = random.uniform(0, whole)
        if error.retry_after is None:
            return jitter
        return None if error.retry_after > RETRY_MAX_SECONDS else error.retry_after + jitter

    def _is_worth_retrying(self, error: SvcError) -> bool:
        if isinstance(error, LimitError):
            # A request that a limit refuses has changed nothing.
            return error.status == 429
        if isinstance(error, NoConnectionError):
            return error.never_sent or self.is_repeatable
        return self.is_repeatable and isinstance(error, UnavailableError)


def _timeout(seconds: float) -> dict[str, float | None]:
    return httpx.Timeout(seconds, connect=CONNECT_SECONDS).as_dict()


def read_answer(response: httpx.Response) -> Any:
    """The body of a good answer; raises the error that another one tells."""
    try:
        body = response.json() if response.content else None
    except ValueError as error:
        raise NoConnectionError(
            f"{response.request.url.copy_with(query=None)} answered {response.status_code} with "
            "something that is not JSON; is this the address of svc? Set SVC_URL",
            never_sent=False,
        ) from error
    if response.is_success:
        return body
    raise _refusal(response, body)


def _refusal(response: httpx.Response, body: Any) -> SvcError:
    status = response.status_code
    said = body.get("error") if isinstance(body, dict) else None
    message = said if isinstance(said, str) else f"the service answered {status}"
    hint = _HINTS.get(status)
    return _class_of(status)(
        message if hint is None else f"{message}; {hint}",
        status=status,
        body=body,
        request_id=response.headers.get("x-request-id"),
        retry_after=_seconds_of(response.headers.get("retry-after")),
    )


_HINTS = {
    401: "pass a token, or set SVC_TOKEN",
    403: "use a token of a role that may do this",
}

_CLASSES: Mapping[int, type[SvcError]] = {
    401: AuthenticationError,
    402: LimitError,
    403: ForbiddenError,
    404: NotFoundError,
    408: UnavailableError,
    409: ConflictError,
    429: LimitError,
}


def _class_of(status: int) -> type[SvcError]:
    return _CLASSES.get(status, InvalidRequestError if status < 500 else UnavailableError)


def _seconds_of(retry_after: str | None) -> float | None:
    try:
        return None if retry_after is None else max(float(retry_after), 0.0)
    except ValueError:
        return None


def no_answer(settings: Settings, error: httpx.HTTPError) -> NoConnectionError:
    never_sent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    why = str(error) or type(error).__name__
    hint = (
        "is svc running there? Set SVC_URL" if never_sent else "it is not known what became of it"
    )
    return NoConnectionError(f"no answer from {settings.url}: {why}; {hint}", never_sent=never_sent)


# The calls.


def start(
    workflow_id: str,
    input: Any,
    *,
    version: str | None,
    priority: int | None,
    idempotency_key: str | None,
    wait_seconds: float | None = None,
) -> Call:
    """One `Idempotency-Key` for every attempt, so that a lost answer never starts a second one."""
    body: Json = {"workflow_id": workflow_id, "input": {} if input is None else input}
    if version is not None:
        body["workflow_version"] = version
    if priority is not None:
        body["priority"] = priority
    waits = wait_seconds is not None and wait_seconds > 0
    return Call(
        "POST",
        "/executions",
        query={"wait": _wait_of(wait_seconds)} if waits else {},
        body=body,
        headers={"idempotency-key": idempotency_key or str(uuid.uuid4())},
        seconds=ANSWER_SECONDS + (wait_seconds or 0),
    )


def start_many(starts: Sequence[Mapping[str, Any]]) -> Call:
    """Each start gets an idempotency key if it has none."""
    if len(starts) > START_MANY_MAX:
        raise ValueError(f"at most {START_MANY_MAX} executions start at once: {len(starts)}")
    entries = [{"idempotency_key": str(uuid.uuid4()), **one} for one in starts]
    return Call("POST", "/executions/batch", body={"executions": entries})


def result(execution_id: str, wait_seconds: float) -> Call:
    query = {"wait": _wait_of(wait_seconds)}
    path = f"{at(execution_id)}/result"
    return Call("GET", path, query=query, seconds=ANSWER_SECONDS + wait_seconds)


def _wait_of(seconds: float | None) -> str:
    return f"{int((seconds or 0) * 1000)}ms"


def at(execution_id: str) -> str:
    return f"/executions/{quote(execution_id, safe='')}"


def approve(execution_id: str, decision: Json) -> Call:
    return Call("POST", f"{at(execution_id)}/approve", body=decision, is_repeatable=False)


def send_event(execution_id: str, correlation_key: str, payload: Any) -> Call:
    body = {"correlation_key": correlation_key, "payload": payload}
    return Call("POST", f"{at(execution_id)}/external-event", body=body, is_repeatable=False)


def decision_of(given: Mapping[str, Any]) -> Json:
    return {key: value for key, value in given.items() if value is not None}


def is_ended(answer: Json) -> bool:
    return "error" in answer


def output_of(answer: Json) -> Any:
    """The output of a completed execution; raises for the others."""
    error, execution_id = answer["error"], answer["execution_id"]
    if error is None:
        return answer["output"]
    if answer["status"] == "cancelled":
        message = f"{execution_id} was cancelled: {error['message']}"
        raise ExecutionCancelledError(message, execution_id=execution_id)
    raise ExecutionFailedError(
        f'{execution_id} failed: {error["message"]}. Its events: "svc execution events '
        f'{execution_id}"',
        execution_id=execution_id,
        error_class=error["class"],
        node_id=error["node_id"],
    )


def too_late(execution_id: str, timeout: float | None) -> ResultTimeoutError:
    return ResultTimeoutError(
        f"{execution_id} has not ended within {timeout} s; it continues. See what it waits for "
        f'with "svc execution explain {execution_id}"',
        execution_id=execution_id,
    )


def is_outage(error: SvcError) -> bool:
    """Whether the service may answer later, so that somebody who waits for long asks again."""
    if isinstance(error, LimitError):
        return error.status == 429
    return isinstance(error, NoConnectionError | UnavailableError)


TERMINAL_KINDS = frozenset({"WorkflowCompleted", "WorkflowFailed", "WorkflowCancelled"})
"""Nothing follows an event of one of these kinds."""


def follow(execution_id: str, last: int, settings: Settings) -> httpx.Request:
    """The service sends a comment every 15 seconds, so a longer silence is a dead connection."""
    headers = {"accept": "text/event-stream"}
    if last > 0:
        headers["last-event-id"] = str(last)
    return Call("GET", f"{at(execution_id)}/events", headers=headers, seconds=45.0).build(settings)
