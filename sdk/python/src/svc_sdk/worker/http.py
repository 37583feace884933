"""Requests of a worker.

An answer says what happened. No answer, a 408, a 429 and a 5xx leave it unknown, so the worker sends
the same request again. The runtime makes that safe: every change names the fence of the lease.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from dataclasses import dataclass, field
from typing import Any

import httpx

from .._environment import Address
from .._signal import Signal
from ..client.explain import explain_no_answer
from ..errors import WorkerRefusedError

ANSWER_S_MAX = 15.0


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any] = field(default_factory=dict)
    after_unknown: bool = False
    """An earlier try of the same request may have arrived."""

    @property
    def is_over(self) -> bool:
        """Nothing is left to do about the item."""
        return self.status in (404, 409)

    @property
    def is_conflict(self) -> bool:
        """The journal is not as the worker knows it."""
        return self.body.get("reason") == "journal_conflict"

    @property
    def is_invalid(self) -> bool:
        """The runtime cannot record what the request carries."""
        return self.status in (400, 413, 422)

    @property
    def reason(self) -> str:
        said = [self.body.get("error"), self.body.get("reason")]
        return ": ".join(one for one in said if isinstance(one, str)) or f"status {self.status}"


class NoAnswer(Exception):
    """Nothing is known of what became of a request."""

    def __init__(self, message: str, retry_after: float = 0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Api:
    """The runtime, for one event loop."""

    def __init__(self, address: Address, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.address = address
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        self._client = httpx.AsyncClient(limits=limits, transport=transport)

    async def close(self) -> None:
        await self._client.aclose()

    async def send(
        self, path: str, body: object = None, *, method: str = "POST", timeout: float = ANSWER_S_MAX
    ) -> Answer:
        """Sends once; raises NoAnswer when the outcome is unknown."""
        content = None if body is None else json.dumps(body, separators=(",", ":"))
        headers = {"content-type": "application/json", **self.address.headers()}
        try:
            response = await asyncio.wait_for(
                self._client.request(
                    method,
                    self.address.url + path,
                    content=content,
                    headers=headers,
                    timeout=httpx.Timeout(timeout),
                ),
                timeout,
            )
        except httpx.InvalidURL as error:
            raise WorkerRefusedError(f"no request can reach {self.address.url}: {error}") from error
        except (httpx.HTTPError, asyncio.TimeoutError) as error:
            if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
                raise NoAnswer(str(explain_no_answer(self.address, error))) from error
            said = str(error) or f"no answer within {timeout:g} s"
            raise NoAnswer(f"{self.address.url}{path}: {said}") from error
        return read_answer(response)

    async def send_until_answered(
        self, path: str, signal: Signal, body: object = None, *, method: str = "POST"
    ) -> Answer | None:
        """None when the signal is set first."""
        failures = 0
        while not signal:
            try:
                answer = await self.send(path, body, method=method)
                return Answer(answer.status, answer.body, after_unknown=failures > 0)
            except NoAnswer as error:
                failures += 1
                await signal.wait(max(back_off(failures), error.retry_after))
        return None


def read_answer(response: httpx.Response) -> Answer:
    status = response.status_code
    if is_unknown(status):
        raise NoAnswer(f"the runtime answered {status}", _read_retry_after(response))
    try:
        body = response.json()
    except ValueError:
        body = None
    if status == 200 and not isinstance(body, dict):
        # A proxy that answers for the runtime may say 200, too.
        raise NoAnswer("the answer is no JSON object")
    return Answer(status, body if isinstance(body, dict) else {})


def is_unknown(status: int) -> bool:
    """Whether an answer of this status leaves the outcome unknown."""
    return status in (408, 429) or status >= 500


class RetryLog:
    """Logs why a request is sent again: at the first failure, and then at growing intervals, with how
    long the worker has tried. A restart of the runtime is one or two lines, and an outage is never
    silent.
    """

    def __init__(self, logger: logging.Logger, what: str) -> None:
        self.failures = 0
        self._logger = logger
        self._what = what
        self._since = time.monotonic()

    def failed(self, error: NoAnswer) -> None:
        self.failures += 1
        if self.failures == 1:
            self._logger.warning("%s, trying again: %s", self._what, error)
        # The 4th, the 8th, the 16th and so on, as pauses grow to 5 s.
        elif self.failures >= 4 and self.failures & (self.failures - 1) == 0:
            tried = round(time.monotonic() - self._since)
            self._logger.warning("%s, trying again for %d s: %s", self._what, tried, error)


def back_off(failures: int) -> float:
    """Seconds before the next try: from 0.25 to 5, spread over the upper half."""
    return min(0.25 * 2.0 ** (failures - 1), 5.0) * (0.5 + random.random() / 2)


def refusal(answer: Answer, address: Address) -> WorkerRefusedError:
    """Says what to do about an answer that no repetition changes."""
    return WorkerRefusedError(_explain(answer, address), answer.status)


def _explain(answer: Answer, address: Address) -> str:
    where = address.url
    if answer.status == 401:
        advice = (
            "it does not accept this token; it may be revoked, expired, or of another runtime. "
            'Make one with "svc token create --name NAME --role worker"'
            if address.token is not None
            else 'no token was sent; pass Worker(token=…) or set SVC_TOKEN. Make one with "svc token '
            'create --name NAME --role worker"'
        )
        return f"{where} refuses the worker (401): {advice}"
    if answer.status == 403:
        return f"{where} refuses the worker (403): {answer.reason}{_role_advice(answer, address)}"
    if _is_foreign(answer):
        return (
            f"what answers at {where} is not svc (status {answer.status}); "
            "check the address and the port"
        )
    said = f"{where} refuses the worker ({answer.status}): {answer.reason}"
    if answer.status != 404:
        return said
    return f'{said}. Create it with "svc tenant create", or correct Worker(tenant=…)'


def _role_advice(answer: Answer, address: Address) -> str:
    if answer.reason.startswith("tenant "):
        return ""
    if address.tenant is not None and "tenant default" in answer.reason:
        return f". Leave Worker(tenant=…) out, or pass a token of the tenant {address.tenant}"
    return (
        ". A worker needs a token with the role worker, developer or operator. "
        'Make one with "svc token create --name NAME --role worker"'
    )


def _is_foreign(answer: Answer) -> bool:
    """A claim and a registration find no tenant at most; svc says what it refuses."""
    error, reason = answer.body.get("error"), answer.body.get("reason")
    if answer.status == 404:
        return not (isinstance(error, str) and error.startswith("not found: tenant "))
    return not isinstance(error, str) and not isinstance(reason, str)


def _read_retry_after(response: httpx.Response) -> float:
    try:
        return min(max(0.0, float(response.headers.get("retry-after", 0))), 60.0)
    except ValueError:
        return 0.0
