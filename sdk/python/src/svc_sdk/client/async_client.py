"""The client for programs with an event loop: the methods of `Client`, to be awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import httpx

from svc_sdk.back_off import back_off_seconds
from svc_sdk.client import calls
from svc_sdk.client.calls import Call, Json
from svc_sdk.client.events import EventReader
from svc_sdk.errors import SvcError
from svc_sdk.settings import Settings, Token


class AsyncClient:
    """Starts executions, waits for them, and acts on them.

    Without `url` and `token` it reads SVC_URL and SVC_TOKEN. Calls that are safe to repeat are
    repeated when the service is away, up to four times. Tasks may share a client.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        token: Token = None,
        tenant: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.settings = Settings.read(url=url, token=token, tenant=tenant)
        self._http = http or httpx.AsyncClient()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        is_repeatable: bool | None = None,
    ) -> Any:
        """Any endpoint of `/openapi.json`. By default only GET is repeated after a failure."""
        repeats = method.upper() == "GET" if is_repeatable is None else is_repeatable
        call = Call(method, path, query=query or {}, body=body, is_repeatable=repeats)
        return await self._send(call)

    async def register(self, ir: Mapping[str, Any]) -> Json:
        """Registers a workflow. The same definition again changes nothing."""
        return await self._object(Call("POST", "/workflows", body={"ir": ir}))

    async def start(
        self,
        workflow_id: str,
        input: Any = None,
        *,
        version: str | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        """Starts an execution and gives its id."""
        answer = await self._object(
            calls.start(
                workflow_id,
                input,
                version=version,
                priority=priority,
                idempotency_key=idempotency_key,
            )
        )
        return str(answer["execution_id"])

    async def start_many(self, starts: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Starts up to 1000, each `{"workflow_id", "input", …}`, and gives a verdict for each."""
        answer = await self._object(calls.start_many(starts))
        results: list[Json] = answer["results"]
        return results

    async def run(
        self,
        workflow_id: str,
        input: Any = None,
        *,
        timeout: float | None = None,
        version: str | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Starts an execution, waits for its end, and gives its output.

        `timeout` is in seconds; None: as long as it takes. Raises `ExecutionFailedError`,
        `ExecutionCancelledError` or `ResultTimeoutError`.
        """
        until = None if timeout is None else time.monotonic() + timeout
        answer = await self._object(
            calls.start(
                workflow_id,
                input,
                version=version,
                priority=priority,
                idempotency_key=idempotency_key,
                wait_seconds=_wait(until),
            )
        )
        return await self._await(answer["execution_id"], answer, until, timeout)

    async def result(self, execution_id: str, *, timeout: float | None = None) -> Any:
        """Waits for the end of an execution and of the runs that continue it; gives the output."""
        until = None if timeout is None else time.monotonic() + timeout
        return await self._await(execution_id, None, until, timeout)

    async def get(self, execution_id: str) -> Json:
        return await self._object(Call("GET", calls.at(execution_id)))

    async def explain(self, execution_id: str) -> Json:
        """Why it rests, and what would move it on."""
        return await self._object(Call("GET", f"{calls.at(execution_id)}/explain"))

    async def list(self, **filters: Any) -> AsyncIterator[Json]:
        """Executions, newest first, page by page: `status`, `workflow_id`, `q` and so on."""
        query: dict[str, Any] = {"limit": calls.LIST_PAGE, **filters}
        while True:
            page = await self._object(Call("GET", "/executions", query=query))
            for execution in page["executions"]:
                yield execution
            if page["next_cursor"] is None:
                return
            query["cursor"] = page["next_cursor"]

    async def events(self, execution_id: str, *, after: int = 0) -> AsyncIterator[Json]:
        """The history so far."""
        path = f"{calls.at(execution_id)}/events"
        while True:
            query = {"limit": calls.EVENTS_PAGE, "after": after}
            page = (await self._object(Call("GET", path, query=query)))["events"]
            for event in page:
                yield event
            if len(page) < calls.EVENTS_PAGE:
                return
            after = page[-1]["sequence"]

    async def follow(self, execution_id: str, *, after: int = 0) -> AsyncIterator[Json]:
        """The events as they are recorded, up to the last one; each comes once and in order."""
        failures = 0
        while True:
            try:
                async for event in self._stream(execution_id, after):
                    failures = 0
                    if event["sequence"] <= after:
                        continue
                    after = event["sequence"]
                    yield event
                    if event["kind"] in calls.TERMINAL_KINDS:
                        return
                if failures == 0 and await self._has_ended(execution_id):
                    return
                failures += 1
            except SvcError as error:
                failures += 1
                if not calls.is_outage(error):
                    raise
            await asyncio.sleep(back_off_seconds(failures))

    async def cancel(self, execution_id: str) -> Json:
        return await self._object(Call("POST", f"{calls.at(execution_id)}/cancel"))

    async def pause(self, execution_id: str, *, reason: str | None = None) -> Json:
        body = calls.decision_of({"reason": reason})
        return await self._object(Call("POST", f"{calls.at(execution_id)}/pause", body=body))

    async def resume(self, execution_id: str) -> Json:
        return await self._object(Call("POST", f"{calls.at(execution_id)}/resume"))

    async def retry(self, execution_id: str) -> Json:
        """Starts a new execution that resumes where this one failed."""
        path = f"{calls.at(execution_id)}/retry"
        return await self._object(Call("POST", path, body={}, is_repeatable=False))

    async def approve(
        self,
        execution_id: str,
        *,
        node_id: str | None = None,
        user_id: str | None = None,
        comment: str | None = None,
        state_patch: Mapping[str, Any] | None = None,
    ) -> Json:
        given = {"node_id": node_id, "user_id": user_id, "comment": comment}
        decision = {"decision": "approved", "state_patch": state_patch, **given}
        return await self._object(calls.approve(execution_id, calls.decision_of(decision)))

    async def reject(
        self,
        execution_id: str,
        *,
        node_id: str | None = None,
        user_id: str | None = None,
        comment: str | None = None,
    ) -> Json:
        given = {"node_id": node_id, "user_id": user_id, "comment": comment}
        decision = {"decision": "rejected", **given}
        return await self._object(calls.approve(execution_id, calls.decision_of(decision)))

    async def send_event(
        self, execution_id: str, correlation_key: str, payload: Any = None
    ) -> Json:
        """Delivers an external event, for example to a `wait` node."""
        given = {} if payload is None else payload
        return await self._object(calls.send_event(execution_id, correlation_key, given))

    async def _await(
        self, execution_id: str, answer: Json | None, until: float | None, timeout: float | None
    ) -> Any:
        failures = 0
        away_since: float | None = None
        while True:
            if answer is not None and calls.is_ended(answer):
                if answer["continued_as"] is None:
                    return calls.output_of(answer)
                execution_id = answer["continued_as"]
            if until is not None and time.monotonic() >= until:
                raise calls.too_late(execution_id, timeout)
            wait = _wait(until)
            asked = time.monotonic()
            try:
                answer = await self._object(calls.result(execution_id, wait))
                away_since = None
            except SvcError as error:
                away_since = away_since or asked
                if not calls.is_outage(error) or asked - away_since > calls.OUTAGE_SECONDS_MAX:
                    raise
                answer = None
            # A service that shuts down answers at once.
            if (
                answer is None or not calls.is_ended(answer)
            ) and time.monotonic() - asked < wait / 2:
                failures += 1
                await asyncio.sleep(back_off_seconds(failures))

    async def _has_ended(self, execution_id: str) -> bool:
        return calls.is_ended(await self._object(calls.result(execution_id, 0)))

    async def _stream(self, execution_id: str, after: int) -> AsyncIterator[Json]:
        reader = EventReader()
        try:
            request = calls.follow(execution_id, after, self.settings)
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code == 204:
                    return
                if not response.is_success:
                    await response.aread()
                    calls.read_answer(response)
                async for line in response.aiter_lines():
                    event = reader.take(line)
                    if event is not None:
                        yield event
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise calls.no_answer(self.settings, error) from error

    async def _object(self, call: Call) -> Json:
        answer: Json = await self._send(call)
        return answer

    async def _send(self, call: Call) -> Any:
        attempts = 0
        while True:
            attempts += 1
            try:
                return calls.read_answer(await self._http.send(call.build(self.settings)))
            except httpx.HTTPError as error:
                failed: SvcError = calls.no_answer(self.settings, error)
            except SvcError as error:
                failed = error
            delay = call.retry_delay(failed, attempts)
            if delay is None:
                raise failed
            await asyncio.sleep(delay)


def _wait(until: float | None) -> float:
    if until is None:
        return calls.WAIT_SECONDS_MAX
    return max(0.0, min(calls.WAIT_SECONDS_MAX, until - time.monotonic()))
