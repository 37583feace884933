"""Written from aio.py: `python scripts/write_sync_client.py`."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from itertools import islice
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import quote

import httpx

from .._duration import Duration, to_ms
from .._environment import TokenSource, read_address
from .._json import to_json
from ..errors import (
    ExecutionCancelledError,
    ExecutionFailedError,
    SerializationError,
    SvcError,
    TimedOutError,
    ValidationError,
)
from ..functions.define import Function
from ..workflow import (
    Batch,
    Concurrency,
    Debounce,
    Fairness,
    StartRate,
    Workflow,
    fairness_ir,
    flow_rule_ir,
)
from .answers import (
    AddedFact,
    Approval,
    ApprovalVerdict,
    CancelledExecution,
    DeadLetter,
    DeadLetterDetails,
    Decision,
    DeliveredEvent,
    Event,
    Execution,
    ExecutionApprovals,
    ExecutionCounts,
    ExecutionState,
    ExecutionSummary,
    Explanation,
    Failure,
    FailureGroup,
    ForgottenFacts,
    Fork,
    ForkPreview,
    Identity,
    PausedExecution,
    RecalledFacts,
    RegisteredWorkflow,
    RequeuedWorkItem,
    ResumedExecution,
    Schedule,
    ScheduleBackfill,
    StartVerdict,
    StateBlame,
    StateDifference,
    StoredArtifact,
    TriggeredSchedule,
    ValidatedWorkflow,
    WorkflowDetails,
    WorkflowSummary,
)
from .entries import StartEntry
from .explain import explain_answer, explain_no_answer, explain_refusal, foreign_service, read_json
from .retry import Outage, RetryPolicy, is_repeatable, retry_delay
from .sse import StreamReader

_WAIT_S_MAX = 30.0
"""Below the time after which proxies give up on an answer; the service takes 60 s at most."""
_IDLE_S = 45.0
"""The service sends a comment every 15 seconds, so silence of this length is a dead connection."""
_BATCH_ENTRIES_MAX = 1000
_LIST_PAGE = 200
_EVENTS_PAGE = 500
_TERMINAL_KINDS = frozenset({"WorkflowCompleted", "WorkflowFailed", "WorkflowCancelled"})

Status: TypeAlias = Literal["running", "paused", "completed", "failed", "cancelled"]
ApprovalVerdicts: TypeAlias = list[ApprovalVerdict]
Startable: TypeAlias = "str | Function[Any, Any] | Workflow[Any]"


class Client:
    """A client of one service.

    url: Default: SVC_URL, else http://127.0.0.1:7700.
    token: a token, or a function that returns one. Default: SVC_TOKEN.
    tenant: another tenant than the token's, for operators of the tenant `default`.
    timeout: the longest time of a call with all its attempts, in seconds.
    attempt_timeout: the longest time of one attempt.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: TokenSource | None = None,
        tenant: str | None = None,
        timeout: float = 60.0,
        attempt_timeout: float = 20.0,
        retry: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._address = read_address(url, token, tenant)
        self._timeout = timeout
        self._attempt_timeout = attempt_timeout
        self._retry = retry or RetryPolicy()
        self._http = httpx.Client(transport=transport)
        self.workflows = Workflows(self)
        self.executions = Executions(self)
        self.failures = Failures(self)
        self.approvals = Approvals(self)
        self.work_items = WorkItems(self)
        self.schedules = Schedules(self)
        self.memory = Memory(self)
        self.artifacts = Artifacts(self)

    @property
    def url(self) -> str:
        return self._address.url

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def start(
        self,
        workflow: Startable,
        input: object = None,
        *,
        version: str | None = None,
        priority: int | None = None,
        labels: Mapping[str, str] | None = None,
        start_after: Duration | datetime | None = None,
        start_deadline: Duration | datetime | None = None,
        concurrency: Concurrency | None = None,
        rate: StartRate | None = None,
        debounce: Debounce | None = None,
        batch: Batch | None = None,
        fairness: Fairness | None = None,
        idempotency_key: str | None = None,
        traceparent: str | None = None,
    ) -> ExecutionHandle:
        """Starts an execution. Answers once it is durable.

        All attempts carry one idempotency key, so a lost answer never starts a second execution.
        Give a key of your own to make the start safe over restarts of your program too. A query such as
        `labels.customer = acme` finds the execution by its labels. It begins at `start_after`, and fails
        unless it has begun by `start_deadline`. `concurrency`, `rate`, `debounce`, `batch` and `fairness` are
        rules as in a definition, which must have none of that kind.
        """
        body = {
            **_start_body(workflow, input, version, priority, labels),
            **_present(
                {
                    "start_after": _start_time(start_after, "start_after"),
                    "start_deadline": _start_time(start_deadline, "start_deadline"),
                    "concurrency": concurrency and flow_rule_ir(concurrency),
                    "rate": rate and flow_rule_ir(rate),
                    "debounce": debounce and flow_rule_ir(debounce),
                    "batch": batch and flow_rule_ir(batch),
                    "fairness": fairness and fairness_ir(fairness),
                }
            ),
        }
        headers = {"idempotency-key": idempotency_key or str(uuid.uuid4())}
        if traceparent is not None:
            headers["traceparent"] = traceparent
        answer = self.request("POST", "/executions", json=body, headers=headers)
        return self.execution(answer["execution_id"])

    def run(
        self,
        workflow: Startable,
        input: object = None,
        *,
        timeout: Duration | None = None,
        version: str | None = None,
        priority: int | None = None,
        labels: Mapping[str, str] | None = None,
        start_after: Duration | datetime | None = None,
        start_deadline: Duration | datetime | None = None,
        concurrency: Concurrency | None = None,
        rate: StartRate | None = None,
        debounce: Debounce | None = None,
        batch: Batch | None = None,
        fairness: Fairness | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Starts an execution, waits for its end and gives its output."""
        handle = self.start(
            workflow,
            input,
            version=version,
            priority=priority,
            labels=labels,
            start_after=start_after,
            start_deadline=start_deadline,
            concurrency=concurrency,
            rate=rate,
            debounce=debounce,
            batch=batch,
            fairness=fairness,
            idempotency_key=idempotency_key,
        )
        return handle.result(timeout)

    def start_many(self, entries: Iterable[StartEntry | Mapping[str, Any]]) -> list[StartVerdict]:
        """Starts many executions, 1 000 in one request. One verdict for each, in their order.

        A verdict has `execution_id`, or `status` and `error`. An entry without `idempotency_key` gets
        a new one. Entries that get 429 or 503 are sent again.
        """
        verdicts: list[StartVerdict] = []
        left = iter(entries)
        while batch := [*islice(left, _BATCH_ENTRIES_MAX)]:
            keyed = [
                {"idempotency_key": str(uuid.uuid4()), "input": {}, **entry} for entry in batch
            ]
            verdicts += self._start_batch(keyed)
        return verdicts

    def execution(self, id: str) -> ExecutionHandle:
        """The execution of this id, without asking whether it exists."""
        return ExecutionHandle(self, id)

    def whoami(self) -> Identity:
        """The role, the tenant and the name of the token."""
        return cast(Identity, self.request("GET", "/whoami"))

    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        wait: float = 0,
        repeatable: bool | None = None,
    ) -> Any:
        """Any request of the HTTP API; gives the JSON of the answer.

        Attempts are repeated where that is safe. `wait`: seconds that the service itself may wait
        before it answers; an attempt has so much more time. `repeatable`: True if the request may
        arrive twice, for one that the client would not send again after a lost answer.
        """
        body = _content_of(json)
        typed = {} if body is None else {"content-type": "application/json"}
        response = self._send(
            method,
            path,
            content=body,
            params=params,
            headers={"accept": "application/json", **typed, **(headers or {})},
            timeout=timeout,
            wait=wait,
            repeatable=repeatable,
        )
        return read_json(self._address, response)

    def _send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None = None,
        params: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        wait: float = 0,
        repeatable: bool | None = None,
    ) -> httpx.Response:
        deadline = time.monotonic() + (self._timeout + wait if timeout is None else timeout)
        again = is_repeatable(method, path) if repeatable is None else repeatable
        attempts = 0
        while True:
            attempts += 1
            left = max(0.001, deadline - time.monotonic())
            try:
                return self._attempt(
                    method,
                    path,
                    content=content,
                    params=_present(params or {}),
                    headers=headers,
                    timeout=min(left, self._attempt_timeout + wait),
                )
            except SvcError as error:
                delay = retry_delay(error, attempts, self._retry, repeatable=again)
                if delay is None or time.monotonic() + delay >= deadline:
                    raise
            time.sleep(delay)

    def _attempt(
        self,
        method: str,
        path: str,
        *,
        content: bytes | None,
        params: dict[str, Any],
        headers: Mapping[str, str],
        timeout: float,
    ) -> httpx.Response:
        try:
            response = self._http.request(
                method,
                self._address.url + path,
                content=content,
                params=params,
                headers={**self._address.headers(), **headers},
                timeout=timeout,
            )
        except httpx.HTTPError as error:
            raise explain_no_answer(self._address, error) from error
        if response.status_code >= 400:
            raise explain_answer(self._address, response)
        return response

    def _start_batch(self, entries: list[dict[str, Any]]) -> list[StartVerdict]:
        """Entries whose verdict may be another one later are sent again, as a single start is."""
        verdicts: dict[int, StartVerdict] = {}
        waiting = [*range(len(entries))]
        attempts = 0
        while waiting:
            attempts += 1
            body = {"executions": [entries[at] for at in waiting]}
            answer = self.request("POST", "/executions/batch", json=body)
            verdicts.update(zip(waiting, answer["results"], strict=True))
            delays = {at: self._delay_of(verdicts[at], attempts) for at in waiting}
            waiting = [at for at, delay in delays.items() if delay is not None]
            if waiting:
                time.sleep(max(delays[at] or 0 for at in waiting))
        return [verdicts[at] for at in range(len(entries))]

    def _delay_of(self, verdict: StartVerdict, attempts: int) -> float | None:
        if "error" not in verdict:
            return None
        after = verdict.get("retry_after_seconds")
        error = explain_refusal(
            self._address, verdict.get("status", 0), verdict["error"], retry_after=after
        )
        return retry_delay(error, attempts, self._retry, repeatable=True)

    def _pages(self, path: str, key: str, params: Mapping[str, Any]) -> Iterator[Any]:
        """The items of a list that pages by cursor."""
        query = {**params, "limit": params.get("limit") or _LIST_PAGE}
        while True:
            page = self.request("GET", path, params=query)
            yield from page[key]
            if page.get("next_cursor") is None:
                return
            query["cursor"] = page["next_cursor"]

    def _offset_pages(self, path: str, key: str) -> Iterator[Any]:
        """The items of a list that pages by offset."""
        offset = 0
        while True:
            page = self.request("GET", path, params={"limit": _LIST_PAGE, "offset": offset})
            yield from page[key]
            if len(page[key]) < _LIST_PAGE:
                return
            offset += len(page[key])


class ExecutionHandle:
    """One execution. It holds no connection."""

    def __init__(self, client: Client, id: str) -> None:
        self._client = client
        self.id = id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def result(self, timeout: Duration | None = None) -> Any:
        """Waits for the end and gives the output; outages of up to a minute are waited out.

        Raises ExecutionFailedError, ExecutionCancelledError, or TimedOutError when it has not ended
        within `timeout`: it continues, and you may ask again.
        """
        deadline = None if timeout is None else time.monotonic() + to_ms(timeout, "timeout") / 1000
        outage = Outage()
        id = self.id
        while True:
            left = _WAIT_S_MAX if deadline is None else deadline - time.monotonic()
            wait = min(_WAIT_S_MAX, max(0.0, left))
            try:
                answer = self._client.request(
                    "GET",
                    f"/executions/{_part(id)}/result",
                    params={"wait": f"{round(wait * 1000)}ms"},
                    wait=wait,
                    timeout=None if deadline is None else max(0.0, left) + 1,
                )
            except SvcError as error:
                if deadline is not None and time.monotonic() >= deadline:
                    raise _too_late(id) from error
                time.sleep(outage.pause(time.monotonic(), error))
                continue
            if "error" in answer and answer.get("continued_as") is None:
                return _output_of(answer)
            id = answer.get("continued_as") or id
            if deadline is not None and time.monotonic() >= deadline:
                raise _too_late(id)
            outage.over()

    def describe(self) -> Execution:
        """Status, state, input, and what it waits for."""
        return self._client.executions.get(self.id)

    def explain(self) -> Explanation:
        """Why it rests, and what would move it on."""
        return cast(Explanation, self._get("/explain"))

    def state(self, at: int | str | None = None) -> ExecutionState:
        """The state as it was. `at`: the sequence of an event, or an ISO 8601 time with its zone."""
        return cast(ExecutionState, self._get("/state", {"at": at}))

    def state_diff(
        self, from_: int | str | None = None, to: int | str | None = None
    ) -> StateDifference:
        """The changes between two states, each named as in `state`; by default since the start."""
        return cast(StateDifference, self._get("/state/diff", {"from": from_, "to": to}))

    def state_blame(self, at: int | str | None = None) -> StateBlame:
        """For each key of a state: the event that set it last, and who caused that."""
        return cast(StateBlame, self._get("/state/blame", {"at": at}))

    def history(self) -> Iterator[Event]:
        """The events so far."""
        after = 0
        while True:
            page = self._get("/events", {"after": after, "limit": _EVENTS_PAGE})
            yield from page["events"]
            if len(page["events"]) < _EVENTS_PAGE:
                return
            after = page["events"][-1]["sequence"]

    def events(self, after: int = 0) -> Iterator[Event]:
        """Events as they are recorded, each once and in order, up to the last.

        A broken stream is opened again with Last-Event-ID.
        """
        outage = Outage()
        last = after
        while True:
            try:
                is_over = True
                for event in self._stream(last):
                    outage.over()
                    is_over = False
                    if event["sequence"] <= last:
                        continue
                    last = event["sequence"]
                    yield event
                    if event["kind"] in _TERMINAL_KINDS:
                        return
                if is_over and self._has_ended(last):
                    return
                pause = outage.pause(time.monotonic())
            except SvcError as error:
                pause = outage.pause(time.monotonic(), error)
            time.sleep(pause)

    def cancel(self) -> CancelledExecution:
        return cast(CancelledExecution, self._post("/cancel"))

    def pause(self, reason: str | None = None) -> PausedExecution:
        return cast(PausedExecution, self._post("/pause", {"reason": reason}))

    def resume(self) -> ResumedExecution:
        return cast(ResumedExecution, self._post("/resume"))

    def retry(self, **changes: Any) -> ExecutionHandle:
        """Starts a new execution that resumes where this one failed."""
        answer = self._post("/retry", changes)
        return self._client.execution(answer["execution_id"])

    def fork(
        self, at: str | int, *, idempotency_key: str | None = None, **changes: Any
    ) -> ExecutionHandle:
        """Starts a new execution that carries this one up to a point.

        `at`: a node, which runs again, or the sequence of the last event to keep. Changes: `visit`,
        `items`, `patch`, `revision`. All attempts carry one idempotency key, so a lost answer never
        starts a second fork.
        """
        answer = self._client.request(
            "POST",
            f"/executions/{_part(self.id)}/fork",
            json={"at": at, **changes},
            headers={"idempotency-key": idempotency_key or str(uuid.uuid4())},
        )
        return self._client.execution(answer["execution_id"])

    def preview_fork(self, at: str | int, **changes: Any) -> ForkPreview:
        """Tells what `fork` would keep and run; starts nothing."""
        return cast(ForkPreview, self._post("/fork", {"at": at, "dry_run": True, **changes}))

    def forks(self) -> list[Fork]:
        """The newest forks of this execution."""
        return cast("list[Fork]", (self._get("/forks"))["forks"])

    def send_event(self, key: str, payload: object = None) -> DeliveredEvent:
        """Delivers an external event to the wait for this key, present or future."""
        answer = self._post(
            "/external-event",
            {"correlation_key": key, "payload": {} if payload is None else payload},
        )
        return cast(DeliveredEvent, answer)

    def approvals(self) -> ExecutionApprovals:
        """The approvals of the execution: those that wait, as `pending`, and `decided`."""
        return cast(ExecutionApprovals, self._get("/approvals"))

    def approve(self, comment: str | None = None, *, step: str | None = None) -> Decision:
        """Approves; `step` names the approval of a function where several wait."""
        return self._decide("approved", comment, step)

    def reject(self, comment: str | None = None, *, step: str | None = None) -> Decision:
        return self._decide("rejected", comment, step)

    def _decide(self, decision: str, comment: str | None, step: str | None) -> Decision:
        body = _present({"decision": decision, "comment": comment, "step": step})
        return cast(Decision, self._post("/approve", body))

    def _get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        return self._client.request("GET", f"/executions/{_part(self.id)}{path}", params=params)

    def _post(self, path: str, body: object = None) -> Any:
        return self._client.request(
            "POST", f"/executions/{_part(self.id)}{path}", json={} if body is None else body
        )

    def _has_ended(self, last: int) -> bool:
        page = self._get("/events", {"after": last, "limit": 1})
        if page["events"]:
            return False
        return (self.describe())["status"] in ("completed", "failed", "cancelled")

    def _stream(self, last: int) -> Iterator[Event]:
        address = self._client._address
        headers = {"accept": "text/event-stream", **address.headers()}
        if last > 0:
            headers["last-event-id"] = str(last)
        url = f"{address.url}/executions/{_part(self.id)}/events"
        try:
            with self._client._http.stream(
                "GET", url, headers=headers, timeout=_IDLE_S
            ) as response:
                if response.status_code >= 400:
                    response.read()
                    raise explain_answer(address, response)
                kind = response.headers.get("content-type", "nothing")
                if response.status_code != 204 and not kind.startswith("text/event-stream"):
                    raise foreign_service(address, f"{kind} for an event stream")
                reader = StreamReader()
                for line in response.iter_lines():
                    message = reader.take(line)
                    if message is None:
                        continue
                    data = json.loads(message[1])
                    if message[0] == "error":
                        raise explain_refusal(address, data["status"], data["error"], body=data)
                    yield data
        except httpx.HTTPError as error:
            raise explain_no_answer(address, error) from error


class Workflows:
    def __init__(self, client: Client) -> None:
        self._client = client

    def register(
        self,
        workflow: Workflow[Any] | Function[Any, Any] | Mapping[str, Any],
        *,
        strict: bool = False,
    ) -> RegisteredWorkflow:
        """Registers a definition. The same definition again changes nothing.

        `warnings` of the answer name probable mistakes, such as members that the runtime does not
        know. strict: they refuse the definition.
        """
        answer = self._client.request(
            "POST",
            "/workflows",
            json={"ir": _ir_of(workflow)},
            params={"strict": "true" if strict else None},
        )
        return cast(RegisteredWorkflow, answer)

    def validate(
        self, workflow: Workflow[Any] | Function[Any, Any] | Mapping[str, Any]
    ) -> ValidatedWorkflow:
        """The problems of a definition, which is not registered."""
        answer = self._client.request("POST", "/workflows/validate", json={"ir": _ir_of(workflow)})
        return cast(ValidatedWorkflow, answer)

    def get(self, id: str, version: str | None = None) -> WorkflowDetails:
        answer = self._client.request("GET", f"/workflows/{_part(id)}", params={"version": version})
        return cast(WorkflowDetails, answer)

    def list(
        self, *, workflow_id: str | None = None, limit: int | None = None
    ) -> Iterator[WorkflowSummary]:
        """Newest first. `limit`: items in a page."""
        filters = {"workflow_id": workflow_id, "limit": limit}
        return self._client._pages("/workflows", "workflows", filters)


class Executions:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(self, id: str) -> Execution:
        return cast(Execution, self._client.request("GET", f"/executions/{_part(id)}"))

    def list(
        self,
        *,
        status: Status | None = None,
        workflow_id: str | None = None,
        parent_execution_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        q: str | None = None,
        limit: int | None = None,
    ) -> Iterator[ExecutionSummary]:
        """Newest first: `list(status="failed", workflow_id="order", q='error ~ "timeout"')`.

        Times are ISO 8601. `limit`: items in a page.
        """
        filters = {
            "status": status,
            "workflow_id": workflow_id,
            "parent_execution_id": parent_execution_id,
            "created_after": created_after,
            "created_before": created_before,
            "q": q,
            "limit": limit,
        }
        return self._client._pages("/executions", "executions", filters)

    def counts(
        self,
        *,
        status: Status | None = None,
        workflow_id: str | None = None,
        parent_execution_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        q: str | None = None,
        buckets: int | None = None,
        group_by: str | None = None,
    ) -> ExecutionCounts:
        filters = {
            "status": status,
            "workflow_id": workflow_id,
            "parent_execution_id": parent_execution_id,
            "created_after": created_after,
            "created_before": created_before,
            "q": q,
            "buckets": buckets,
            "group_by": group_by,
        }
        answer = self._client.request("GET", "/executions/counts", params=filters)
        return cast(ExecutionCounts, answer)


class Failures:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        q: str | None = None,
        workflow_id: str | None = None,
        within_hours: int | None = None,
        members: int | None = None,
        limit: int | None = None,
    ) -> Iterator[FailureGroup]:
        """Dead letters and failed executions by cause, the largest group first.

        `within_hours`: how far back, 24 by default. `members`: how many failures of each group, the
        latest. `limit`: groups in a page.
        """
        filters = {
            "q": q,
            "workflow_id": workflow_id,
            "within_hours": within_hours,
            "members": members,
            "limit": limit,
        }
        return self._client._pages("/failures", "groups", filters)

    def of_group(
        self,
        id: str,
        *,
        q: str | None = None,
        workflow_id: str | None = None,
        within_hours: int | None = None,
        limit: int | None = None,
    ) -> Iterator[Failure]:
        """All failures of a group that was listed with the same filters, the latest first."""
        filters = {
            "q": q,
            "workflow_id": workflow_id,
            "within_hours": within_hours,
            "limit": limit,
        }
        return self._client._pages(f"/failures/{_part(id)}", "failures", filters)


class Approvals:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        status: Literal["pending", "decided"] | None = None,
        workflow_id: str | None = None,
        node_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Approval]:
        """Of all executions. `limit`: items in a page."""
        filters = {
            "status": status,
            "workflow_id": workflow_id,
            "node_id": node_id,
            "limit": limit,
        }
        return self._client._pages("/approvals", "approvals", filters)

    def decide(
        self, decisions: Iterable[Mapping[str, Any]], *, comment: str | None = None
    ) -> ApprovalVerdicts:
        """Decides up to 100 approvals, each for itself: `error` of a verdict says why it was refused.

        A decision has `execution_id`, `decision` (`approved` or `rejected`), and where needed
        `node_id`, `step`, `user_id`, `comment` and `shown_hash`. `comment`: for those without one.
        """
        body = _present({"decisions": [dict(one) for one in decisions], "comment": comment})
        answer = self._client.request("POST", "/approvals/decide", json=body)
        return cast(ApprovalVerdicts, answer["results"])


class WorkItems:
    def __init__(self, client: Client) -> None:
        self._client = client

    def dead_letters(
        self,
        *,
        workflow_id: str | None = None,
        node_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[DeadLetter]:
        """`limit`: items in a page."""
        query = {
            "status": "dead_lettered",
            "workflow_id": workflow_id,
            "node_id": node_id,
            "limit": limit,
        }
        return self._client._pages("/work-items", "work_items", query)

    def dead_letter(self, id: str) -> DeadLetterDetails:
        """With its input, its failures, and what can be done about it."""
        answer = self._client.request("GET", f"/work-items/{_part(id)}")
        return cast(DeadLetterDetails, answer)

    def requeue(self, id: str) -> RequeuedWorkItem:
        answer = self._client.request("POST", f"/work-items/{_part(id)}/requeue", json={})
        return cast(RequeuedWorkItem, answer)


class Schedules:
    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, schedule: Mapping[str, Any]) -> Schedule:
        answer = self._client.request("POST", "/schedules", json=schedule)
        return cast(Schedule, answer)

    def get(self, id: str) -> Schedule:
        return cast(Schedule, self._client.request("GET", f"/schedules/{_part(id)}"))

    def trigger(self, id: str) -> TriggeredSchedule:
        answer = self._client.request("POST", f"/schedules/{_part(id)}/trigger", json={})
        return cast(TriggeredSchedule, answer)

    def backfill(
        self, id: str, *, start: str, end: str, limit: int | None = None, dry_run: bool = False
    ) -> ScheduleBackfill:
        """Starts past fires that have not started, from ``start`` until before ``end``.

        Both are ISO instants. ``next_from`` of the answer is where to continue.
        """
        body: dict[str, Any] = {"from": start, "to": end, "dry_run": dry_run}
        if limit is not None:
            body["limit"] = limit
        answer = self._client.request("POST", f"/schedules/{_part(id)}/backfill", json=body)
        return cast(ScheduleBackfill, answer)

    def delete(self, id: str) -> None:
        self._client.request("DELETE", f"/schedules/{_part(id)}")

    def list(self) -> Iterator[Schedule]:
        return self._client._offset_pages("/schedules", "schedules")


class Memory:
    """Facts of the tenant; bodies and answers are those of the HTTP API."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def add(self, **fact: Any) -> AddedFact:
        answer = self._client.request("POST", "/v1/memory/add", json=fact)
        return cast(AddedFact, answer)

    def recall(self, **query: Any) -> RecalledFacts:
        answer = self._client.request("POST", "/v1/memory/recall", json=query)
        return cast(RecalledFacts, answer)

    def forget(self, **query: Any) -> ForgottenFacts:
        answer = self._client.request("POST", "/v1/memory/forget", json=query)
        return cast(ForgottenFacts, answer)


class Artifacts:
    """Contents under the SHA-256 of their bytes."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def put(self, content: bytes, content_type: str = "application/octet-stream") -> StoredArtifact:
        """Stores a content; the answer has `hash` and `size`. The same content again is no second one."""
        response = self._client._send(
            "POST", "/artifacts", content=content, headers={"content-type": content_type}
        )
        return cast(StoredArtifact, read_json(self._client._address, response))

    def get(self, hash: str) -> bytes:
        """The content."""
        path = f"/artifacts/{_part(hash)}"
        return (self._client._send("GET", path, headers={})).content


def _start_body(
    workflow: Startable,
    input: object,
    version: str | None,
    priority: int | None,
    labels: Mapping[str, str] | None,
) -> dict[str, Any]:
    own = None if isinstance(workflow, str) else _ir_of(workflow)
    return {
        "workflow_id": workflow if isinstance(workflow, str) else _ir_of(workflow)["workflow_id"],
        "workflow_version": version or (own or {}).get("version"),
        "input": {} if input is None else input,
        **_present({"priority": priority, "labels": labels}),
    }


def _start_time(given: Duration | datetime | None, name: str) -> str | None:
    if given is None:
        return None
    if isinstance(given, datetime):
        return given.astimezone(timezone.utc).isoformat()
    return f"{to_ms(given, name)}ms"


def _ir_of(workflow: Workflow[Any] | Function[Any, Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    return workflow if isinstance(workflow, Mapping) else workflow.to_ir()


def _content_of(body: object) -> bytes | None:
    if body is None:
        return None
    try:
        return json.dumps(to_json(body, "body"), separators=(",", ":")).encode()
    except SerializationError as error:
        message = f"The request is not JSON, and was not sent: {error}"
        raise ValidationError(message, code="not_json") from error


def _present(members: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}


def _part(text: str) -> str:
    return quote(text, safe="")


def _too_late(id: str) -> TimedOutError:
    error = TimedOutError(
        f"{id} has not ended in time; it continues. See what it waits for with "
        f'"svc execution explain {id}"',
        code="timeout",
    )
    error.execution_id = id
    return error


def _output_of(result: Mapping[str, Any]) -> Any:
    id, error = result["execution_id"], result["error"]
    if error is None:
        return result.get("output")
    if result["status"] == "cancelled":
        message = f"{id} was cancelled: {error['message']}"
        raise ExecutionCancelledError(message, execution_id=id)
    raise ExecutionFailedError(
        f'{id} failed: {error["message"]}. Its events: "svc execution events {id}"',
        execution_id=id,
        error_class=error["class"],
        node_id=error["node_id"],
    )
