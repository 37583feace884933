"""Requests of a worker to the runtime.

An answer says what happened. No answer, a 408, a 429 and a 5xx leave it unknown, and the same
request is sent again. The runtime makes that safe: every change names the fence of the lease.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from svc_sdk.back_off import asked_seconds
from svc_sdk.json_text import to_json
from svc_sdk.settings import Settings

ANSWER_SECONDS = 15.0
CONNECT_SECONDS = 10.0
_FIRST_OF_SERVER_ERRORS = 500


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: Mapping[str, Any]
    after_unknown: bool = False
    """An earlier try of the same request may have arrived."""

    def reason(self) -> str:
        said = [self.body.get("error"), self.body.get("reason")]
        return ": ".join(text for text in said if isinstance(text, str)) or f"status {self.status}"


class NoAnswerError(Exception):
    """Nothing is known of what became of the request."""

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def is_unknown(status: int) -> bool:
    """Whether an answer of this status leaves the outcome unknown."""
    return status in (408, 429) or status >= _FIRST_OF_SERVER_ERRORS


class Api:
    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        self.settings = settings
        self._http = http

    async def send(
        self, path: str, body: Mapping[str, Any], *, seconds: float = ANSWER_SECONDS
    ) -> Answer:
        """Sends once; raises `NoAnswerError` when the outcome is unknown."""
        try:
            response = await self._http.post(
                f"{self.settings.url}{path}",
                content=to_json(body),
                headers=self.settings.headers(),
                timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS),
            )
        except httpx.HTTPError as error:
            raise NoAnswerError(f"{path}: {error or type(error).__name__}") from error
        if is_unknown(response.status_code):
            raise NoAnswerError(
                f"the runtime answered {response.status_code}",
                asked_seconds(response.headers.get("retry-after")),
            )
        return Answer(response.status_code, _object_of(response))


def _object_of(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
