"""Written from docs/openapi.json: `python scripts/write_answers.py`.

Shapes of the answers of the HTTP API. The runtime may add members, so do not refuse unknown ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class IdentityPermissions(TypedDict):
    method: str
    path: str


class Identity(TypedDict):
    tenant_id: str
    """The tenant that this request is about."""
    role: Literal["operator", "developer", "reviewer", "viewer", "worker"]
    name: str
    """The token's name."""
    is_operator: bool
    authenticated: bool
    """False where authentication is off, as under `svc dev`."""
    manages_tenants: bool
    """Whether the caller may name any tenant in X-Tenant-Id."""
    version: str
    permissions: list[IdentityPermissions]
    """The routes that the role may use, with parameters as `:id`."""


class RegisteredWorkflowWarnings(TypedDict):
    code: str
    """The kind of warning, such as `unknown_field`."""
    pointer: str
    """JSON pointer from the root of the IR."""
    message: str


class RegisteredWorkflow(TypedDict):
    workflow_id: str
    version: str
    revision: int
    ir_hash: str
    warnings: list[RegisteredWorkflowWarnings]


class WorkflowSummaryPause(TypedDict):
    state: Literal["pausing", "paused", "resuming"]
    """`pausing`: nothing new begins, and the pause still takes hold, execution by execution ·
    `paused`: all executions are held · `resuming`: they are being released."""
    actor_id: str
    """The actor of the pause."""
    reason: str | None
    paused_at: str
    resumed_by: str | None
    """Actor of its end; null: it has not ended."""
    resumed_at: str | None
    held: int
    """Executions that it holds now."""
    held_is_exact: bool
    """False: it holds more, not counted."""


class WorkflowSummary(TypedDict):
    workflow_id: str
    version: str
    revision: int
    ir_hash: str
    created_at: str
    pause: WorkflowSummaryPause | None
    """The pause of the workflow, in all its versions; null: it is not paused."""


class WorkflowsPage(TypedDict):
    workflows: list[WorkflowSummary]
    next_cursor: str | None
    """Null on the last page."""


class ValidatedWorkflowProblems(TypedDict):
    pointer: str
    """JSON pointer from the root of the definition."""
    message: str
    line: int | None
    """Line in `text`; null without one."""
    column: int | None


class ValidatedWorkflowWarnings(TypedDict):
    code: str
    pointer: str
    """JSON pointer from the root of the definition."""
    message: str
    line: int | None
    """Line in `text`; null without one."""
    column: int | None


class ValidatedWorkflowDefinition(TypedDict):
    workflow_id: str
    version: str
    ir_hash: str
    ir: dict[str, Any]
    """In the form that a registration stores."""
    registration: Literal["new_workflow", "new_version", "new_revision", "unchanged"]
    revision: int
    """The revision it has after that."""


class ValidatedWorkflow(TypedDict):
    valid: bool
    problems: list[ValidatedWorkflowProblems]
    warnings: list[ValidatedWorkflowWarnings]
    definition: ValidatedWorkflowDefinition | None
    """Null: it cannot run."""


class WorkflowDetailsPause(TypedDict):
    state: Literal["pausing", "paused", "resuming"]
    """`pausing`: nothing new begins, and the pause still takes hold, execution by execution ·
    `paused`: all executions are held · `resuming`: they are being released."""
    actor_id: str
    """The actor of the pause."""
    reason: str | None
    paused_at: str
    resumed_by: str | None
    """Actor of its end; null: it has not ended."""
    resumed_at: str | None
    held: int
    """Executions that it holds now."""
    held_is_exact: bool
    """False: it holds more, not counted."""


class WorkflowDetails(TypedDict):
    workflow_id: str
    version: str
    revision: int
    ir_hash: str
    created_at: str
    pause: WorkflowDetailsPause | None
    """The pause of the workflow, in all its versions; null: it is not paused."""
    ir: dict[str, Any]


class StartedExecution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""


class ExecutionSummaryWaitingFor(TypedDict):
    kind: Literal[
        "concurrency", "rate", "debounce", "batch", "max_concurrent_executions", "start_after"
    ]
    key: str | None
    """Key of `concurrency`, `rate`, `debounce` or `batch`. Null: all executions of the workflow,
    or the tenant, share the places; or a data policy hides it."""
    since: str
    until: str | None
    """With `start_after` and `debounce`: when it begins. With `batch`: when the batch closes at
    the latest."""


class ExecutionSummaryImported(TypedDict):
    at: str
    actor_id: str
    sha256: str
    """Hash of the document, in hex."""


class ExecutionSummaryAwaitingApproval(TypedDict):
    node_id: str
    step: str | None
    """The approval of a durable function. Null: the node itself asks."""
    since: str


class ExecutionSummary(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    workflow_id: str
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    created_at: str
    completed_at: str | None
    workflow_version: str
    started_at: str
    updated_at: str
    error: str | None
    parent_execution_id: str | None
    labels: dict[str, Any]
    waiting_for: ExecutionSummaryWaitingFor | None
    """The place that it waits for before it begins. Null: it has begun, or ended."""
    imported: ExecutionSummaryImported | None
    """It was imported from a file: its events were recorded elsewhere, or earlier."""
    error_class: str | None
    """Class of the error. Null: it has not failed, or that is not known."""
    error_node_id: str | None
    """The node that failed. Null: none did, or that is not known."""
    awaiting_approval: ExecutionSummaryAwaitingApproval | None
    """The oldest approval that a person must decide. Null: none is open."""


class ExecutionsPage(TypedDict):
    executions: list[ExecutionSummary]
    next_cursor: str | None
    """Null on the last page."""


class StartVerdict(TypedDict):
    status: int
    """201, or the status of the error that `POST /executions` would answer."""
    execution_id: NotRequired[str]
    """With 201; with a 409 for a key, the execution that has the key."""
    error: NotRequired[str]
    """Absent with 201."""
    retry_after_seconds: NotRequired[int]
    """The `Retry-After` of the error, if it has one."""


class StartVerdicts(TypedDict):
    results: list[StartVerdict]


ExecutionCountsHistogram = TypedDict(
    "ExecutionCountsHistogram", {"from": "str", "before": "str", "by_status": "dict[str, Any]"}
)


class ExecutionCountsGroups(TypedDict):
    value: str | None
    count: int


class ExecutionCounts(TypedDict):
    total: int
    is_exact: bool
    """False: only the newest executions were looked through: 100,000 without groups and with
    conditions on the status and the start alone, 5,000 if a label is looked up, and 10,000
    otherwise."""
    by_status: dict[str, Any]
    """Without the statuses of no execution."""
    histogram: list[ExecutionCountsHistogram]
    """In the order of time. Empty if no execution fits."""
    groups: NotRequired[list[ExecutionCountsGroups]]
    """The largest 100 groups of `group_by`, largest first; absent without it. The value of the
    executions without the label is null."""


class ExecutionWaitingFor(TypedDict):
    kind: Literal[
        "concurrency", "rate", "debounce", "batch", "max_concurrent_executions", "start_after"
    ]
    key: str | None
    """Key of `concurrency`, `rate`, `debounce` or `batch`. Null: all executions of the workflow,
    or the tenant, share the places; or a data policy hides it."""
    since: str
    until: str | None
    """With `start_after` and `debounce`: when it begins. With `batch`: when the batch closes at
    the latest."""


class ExecutionImported(TypedDict):
    at: str
    actor_id: str
    sha256: str
    """Hash of the document, in hex."""


class ExecutionEnding(TypedDict):
    outcome: Literal["completed", "failed", "cancelled"]


class ExecutionFailure(TypedDict):
    error: str
    error_class: str
    node_id: str | None
    """The node that failed."""


class ExecutionUndoNotUndone(TypedDict):
    node_id: str
    visit: int
    error: str


class ExecutionUndo(TypedDict):
    pending: int
    """Completed steps whose undo has not begun."""
    under_way: int
    """Undos that have begun, and dead letters among them."""
    undone: int
    not_undone: list[ExecutionUndoNotUndone]
    """Steps that the execution ends without undoing."""


class ExecutionWaitingOn(TypedDict):
    node_id: str
    visit: int
    kind: str
    waiting_for: Literal[
        "work", "approval", "timer", "event", "either", "map", "child", "suspended"
    ]
    since: str | None
    attempt: int
    work_item_id: str | None
    queue_type: str | None
    correlation_key: str | None
    child_execution_id: str | None
    """The child execution that the node waits for."""


class ExecutionWaitingForPlace(TypedDict):
    since: str
    ahead: int
    """Children that wait longer, counted to 1000."""
    max_concurrent_executions: int | None


class ExecutionPauses(TypedDict):
    scope: Literal["execution", "workflow"]
    """`workflow`: its workflow was paused, and holds it with all the others."""
    actor_id: str
    """The actor of the pause."""
    reason: str | None


class ExecutionRetriedFrom(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    sequence: int
    """Sequence of its last event before those of its end."""
    node_id: str | None
    """The node that had failed."""


class ExecutionForkedFrom(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    sequence: int
    """Sequence of the last event that it carries."""
    node_id: str | None
    """The node that was asked for."""


class ExecutionUsage(TypedDict):
    input_tokens: int
    output_tokens: int
    cost_usd: float
    """Cost of the calls with a known price."""


class Execution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    workflow_id: str
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    created_at: str
    completed_at: str | None
    workflow_version: str
    started_at: str
    updated_at: str
    error: str | None
    parent_execution_id: str | None
    labels: dict[str, Any]
    waiting_for: ExecutionWaitingFor | None
    """The place that it waits for before it begins. Null: it has begun, or ended."""
    imported: ExecutionImported | None
    """It was imported from a file: its events were recorded elsewhere, or earlier."""
    state: dict[str, Any]
    current_state: dict[str, Any]
    """The same as `state`."""
    ending: ExecutionEnding | None
    """How the execution will end once its undos and finalizers are done. Null: it has none to
    wait for."""
    failure: ExecutionFailure | None
    """Its first cause, once it fails, also while undos and finalizers run."""
    undo: ExecutionUndo | None
    """Steps that the end undoes. Null: no step that has an undo is complete."""
    steps_executed: int
    """Number of `NodeCompleted` events."""
    input: dict[str, Any]
    initial_input: dict[str, Any]
    """The same as `input`."""
    waiting_on: list[ExecutionWaitingOn]
    waiting_for_place: ExecutionWaitingForPlace | None
    """A child that has not begun: the tenant has no place for it yet."""
    pauses: list[ExecutionPauses]
    """The pauses of the execution; empty: none."""
    continued_from: str | None
    """The run that this one continues."""
    continued_as: str | None
    """The run that continues this one."""
    retried_from: ExecutionRetriedFrom | None
    """The execution that is tried again here."""
    retried_as: str | None
    """The execution in which this one was tried again."""
    forked_from: ExecutionForkedFrom | None
    """The execution whose beginning this one carries."""
    usage: ExecutionUsage
    """Model usage, including ended children."""


ExecutionResultError = TypedDict(
    "ExecutionResultError", {"message": "str", "class": "str", "node_id": "str | None"}
)


class ExecutionResult(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["completed", "failed", "cancelled"]
    output: dict[str, Any] | list[Any] | str | float | bool | None
    """The value under the `output_key` of the node that ends the workflow, if every node that can
    end it has the same one; otherwise the final state. Null if the execution did not complete."""
    error: ExecutionResultError | None
    """Null if and only if the execution completed."""
    state: NotRequired[dict[str, Any]]
    """The final state, with any status; only with `state=true`."""
    continued_as: str | None
    """The run that continues this one: ask for its result instead."""


class ExplanationEnding(TypedDict):
    outcome: Literal["completed", "failed", "cancelled"]


class ExplanationFailure(TypedDict):
    error: str
    error_class: str
    node_id: str | None
    """The node that failed."""


class ExplanationBlockers(TypedDict):
    code: Literal[
        "history_unreadable",
        "tenant_suspended",
        "workflow_paused",
        "paused_by_operator",
        "no_scheduler",
        "not_marked",
        "work_missing",
        "timer_missing",
        "dead_lettered",
        "no_worker_for_queue",
        "no_worker_for_tool",
        "no_worker_for_build",
        "runnable_not_decided",
        "budget_used_up",
        "awaiting_approval",
        "awaiting_event",
        "waiting_for_place",
        "waiting_for_quota",
        "waiting_in_queue",
        "retry_backoff_until",
        "child_end_not_told",
        "child_running",
        "timer_until",
        "lease_held_until",
        "map_items_under_way",
        "join_waiting_on",
        "advancing",
    ]
    node_id: str | None
    """Null: the execution as a whole."""
    visit: int | None
    message: str
    since: str | None
    until: str | None
    """When it passes or ends without help; null: at no set time."""
    overdue: bool
    """`until` has passed, and its consequence is not recorded yet."""
    moving: bool
    """A process or worker works on it now."""
    unblocked_by: str
    work_item_id: NotRequired[str]
    queue_type: NotRequired[str]
    queue: NotRequired[str]
    """A named queue that nobody claims from."""
    tool: NotRequired[str]
    """A tool that nobody claims."""
    build_id: NotRequired[str]
    """The build that the function is pinned to."""
    attempt: NotRequired[int]
    worker_id: NotRequired[str]
    lease_fence: NotRequired[int]
    position: NotRequired[int]
    """From 1, in the order in which items are handed out."""
    error: NotRequired[str]
    correlation_key: NotRequired[str]
    child_execution_id: NotRequired[str]
    """`exec_` and 32 lowercase hex digits."""
    child_code: NotRequired[
        Literal[
            "history_unreadable",
            "tenant_suspended",
            "workflow_paused",
            "paused_by_operator",
            "no_scheduler",
            "not_marked",
            "work_missing",
            "timer_missing",
            "dead_lettered",
            "no_worker_for_queue",
            "no_worker_for_tool",
            "no_worker_for_build",
            "runnable_not_decided",
            "budget_used_up",
            "awaiting_approval",
            "awaiting_event",
            "waiting_for_place",
            "waiting_for_quota",
            "waiting_in_queue",
            "retry_backoff_until",
            "child_end_not_told",
            "child_running",
            "timer_until",
            "lease_held_until",
            "map_items_under_way",
            "join_waiting_on",
            "advancing",
        ]
    ]
    """The code of the child's own first blocker."""
    waits_for: NotRequired[list[str]]
    """Nodes that a join waits for, or executions that have the places."""
    items_done: NotRequired[int]
    items_total: NotRequired[int]


class ExplanationEnded(TypedDict):
    message: str
    at: str | None
    error: str | None
    error_class: str | None
    node_id: str | None
    actor_id: str | None
    continued_as: str | None


class Explanation(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    as_of: str
    """By the database's clock."""
    moving: bool
    """A process or worker works on it, or is about to."""
    next_wake_up: str | None
    """The latest time at which something happens without help; overdue if past."""
    ending: ExplanationEnding | None
    """How the execution will end once its undos and finalizers are done."""
    failure: ExplanationFailure | None
    """Its first cause, if it will end as failed."""
    blockers: list[ExplanationBlockers]
    """The first 100."""
    blockers_total: int
    ended: ExplanationEnded | None
    """Why it ended; null: it has not."""


class Event(TypedDict):
    sequence: int
    """From 1, without gaps."""
    kind: str
    node_id: str | None
    created_at: str
    event_id: str
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    actor_id: str
    payload: dict[str, Any]


class EventsPage(TypedDict):
    events: list[Event]


class ExecutionStateOmitted(TypedDict):
    key: str
    chars: int


class ExecutionState(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    sequence: int
    last_sequence: int
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    """At that time."""
    at: str | None
    """When that event was recorded."""
    state: dict[str, Any]
    omitted: list[ExecutionStateOmitted]
    """Members that are left out: the 100 largest."""
    omitted_total: int


class StateDifferenceChanges(TypedDict):
    op: Literal["add", "remove", "replace"]
    path: str
    """A JSON Pointer into the state."""
    before: dict[str, Any] | list[Any] | str | float | bool | None
    """Null with `add`."""
    after: dict[str, Any] | list[Any] | str | float | bool | None
    """Null with `remove`."""
    omitted: bool
    """The values are too large, and left out."""


StateDifference = TypedDict(
    "StateDifference",
    {
        "execution_id": "str",
        "from": "int",
        "to": "int",
        "changes": "list[StateDifferenceChanges]",
        "truncated": "bool",
    },
)


class StateBlameKeysCause(TypedDict):
    sequence: int
    kind: Literal["ApprovalReceived", "ExternalEventReceived"]
    actor_id: str
    user_id: str | None


class StateBlameKeys(TypedDict):
    key: str
    sequence: int
    kind: str
    node_id: str | None
    actor_id: str
    worker_id: str | None
    """The worker, if one set it."""
    at: str
    cause: StateBlameKeysCause | None
    """The decision or the external event that the event follows from."""


class StateBlame(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    sequence: int
    keys: list[StateBlameKeys]
    truncated: bool
    """The state has more keys."""


class CancelledExecutionEnding(TypedDict):
    outcome: Literal["completed", "failed", "cancelled"]


class CancelledExecution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["cancelled"]
    ending: NotRequired[CancelledExecutionEnding]
    """How the execution will end once its undos and finalizers are done."""


class PausedExecutionPauses(TypedDict):
    scope: Literal["execution", "workflow"]
    """`workflow`: its workflow was paused, and holds it with all the others."""
    actor_id: str
    """The actor of the pause."""
    reason: str | None


class PausedExecution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    pauses: list[PausedExecutionPauses]
    """The pauses of the execution; empty: none."""


class ResumedExecutionPauses(TypedDict):
    scope: Literal["execution", "workflow"]
    """`workflow`: its workflow was paused, and holds it with all the others."""
    actor_id: str
    """The actor of the pause."""
    reason: str | None


class ResumedExecution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    pauses: list[ResumedExecutionPauses]
    """The pauses of the execution; empty: none."""


class RetriedExecution(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    retried_from: str
    """`exec_` and 32 lowercase hex digits."""


class ForkPreviewKept(TypedDict):
    node_id: str
    visits: int


class ForkPreviewLeft(TypedDict):
    node_id: str
    visits: int


class ForkPreviewMaps(TypedDict):
    node_id: str
    kept_items: int


class ForkPreviewApprovals(TypedDict):
    node_id: str
    visits: int


class ForkPreviewUndone(TypedDict):
    node_id: str
    visit: int


class ForkPreview(TypedDict):
    forked_from: str
    """`exec_` and 32 lowercase hex digits."""
    sequence: int
    """The last event of the original that the fork carries."""
    node_id: str | None
    """The node that the request named."""
    begins: list[str]
    """Nodes that begin at once."""
    kept: list[ForkPreviewKept]
    """Completed visits, whose results the fork keeps."""
    left: list[ForkPreviewLeft]
    """Visits of the original that were in progress at the point or began after it. The fork runs
    their nodes again where it comes to them."""
    maps: list[ForkPreviewMaps]
    """Maps that begin again, with the items that do not run again."""
    approvals: list[ForkPreviewApprovals]
    """Approved visits: an approval stays valid for a call with the same hash."""
    waiting_events: int
    """External events that no node has taken."""
    undone: list[ForkPreviewUndone]
    """Completed visits that the original has undone since: the fork keeps their results, although
    their effects were taken back."""


class Fork(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    status: Literal["running", "paused", "completed", "failed", "cancelled"]
    sequence: int
    node_id: str | None
    actor_id: str
    forked_at: str


class ForksPage(TypedDict):
    forks: list[Fork]
    next_cursor: str | None
    """Null on the last page."""


class Decision(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    accepted: bool
    node_id: str | None
    step: NotRequired[str]


class PendingApprovalOtherwise(TypedDict):
    outcome: Literal["fail", "continue", "code"]
    to: list[str]


class PendingApproval(TypedDict):
    node_id: str
    visit: int
    description: str | None
    requested_at: str
    timeout_ms: float | None
    deadline_at: str | None
    """When it ends without a decision; null: never, or its time stands still."""
    otherwise: PendingApprovalOtherwise
    """After a rejection, and at the deadline. `fail`: the node fails · `continue`: the nodes of
    `to` follow · `code`: the code of the function decides."""
    tool: str | None
    """The tool that is called after a yes."""
    arguments: Any
    """Arguments of the call, as data policies show them; null without a tool."""
    shown: dict[str, Any] | None
    """The action after an approval, such as the tool and its input."""
    shown_hash: str | None
    """SHA-256 of the canonical JSON of `shown`."""
    step: NotRequired[str]
    """The approval of a durable function."""


class DecidedApproval(TypedDict):
    node_id: str
    visit: int
    decision: Literal["approved", "rejected"]
    user_id: str | None
    comment: str | None
    shown_hash: str | None
    step: NotRequired[str]
    decided_at: str


class ExecutionApprovals(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    pending: list[PendingApproval]
    decided: list[DecidedApproval]


class DeliveredEvent(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    accepted: bool


class ApprovalOtherwise(TypedDict):
    outcome: Literal["fail", "continue", "code"]
    to: list[str]


class Approval(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    workflow_id: str
    node_id: str
    visit: int
    step: str | None
    """The approval of a durable function."""
    description: str | None
    requested_at: str
    age_seconds: int
    """How long it has waited; of a decided one, until the decision."""
    deadline_at: str | None
    """When it ends without a decision; null: never, or its time stands still."""
    otherwise: ApprovalOtherwise
    """After a rejection, and at the deadline. `fail`: the node fails · `continue`: the nodes of
    `to` follow · `code`: the code of the function decides."""
    tool: str | None
    """The tool that is called after a yes."""
    arguments: Any
    """Arguments of the call; null without a tool."""
    shown: dict[str, Any] | None
    """The action after an approval."""
    shown_hash: str | None
    """SHA-256 of the canonical JSON of `shown`; a decision may name it."""
    decision: Literal["approved", "rejected"] | None
    user_id: str | None
    actor_id: str | None
    """The caller that sent the decision."""
    comment: str | None
    decided_at: str | None


class ApprovalsPage(TypedDict):
    approvals: list[Approval]
    next_cursor: str | None
    """Null on the last page."""


class ApprovalVerdict(TypedDict):
    execution_id: str
    accepted: bool
    node_id: str | None
    step: str | None
    error: str | None
    status: int | None
    """Status that the error would have."""


class DecidedApprovals(TypedDict):
    results: list[ApprovalVerdict]


class FailureGroupMembers(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    work_item_id: str | None
    error: str
    failed_at: str
    live: bool


class FailureGroup(TypedDict):
    id: str
    kind: Literal["work_item", "execution"]
    cause: str
    workflow_id: str
    node_id: str | None
    """Null: no node failed the executions, or it is not known which."""
    tool: str | None
    queue_type: str | None
    count: int
    live: int
    """How many belong to executions that have not ended."""
    first_at: str
    last_at: str
    members: list[FailureGroupMembers]
    """The latest: at most `members`."""


class FailureGroupsPage(TypedDict):
    since: str
    groups: list[FailureGroup]
    next_cursor: str | None
    """Null on the last page."""
    is_exact: bool
    """False: there may be more failures than were read, so counts are lower bounds."""


class Failure(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    work_item_id: str | None
    error: str
    failed_at: str
    live: bool


class FailuresPage(TypedDict):
    failures: list[Failure]
    next_cursor: str | None
    """Null on the last page."""
    is_exact: bool
    """False: there may be more failures than were read, so counts are lower bounds."""


class DeadLetterUndoes(TypedDict):
    node_id: str
    visit: int
    input: dict[str, Any] | list[Any] | str | float | bool | None
    """The input of the undo."""
    output: dict[str, Any] | list[Any] | str | float | bool | None
    """The output of the visit that it is to undo."""
    omitted: list[Literal["input", "output"]]
    """Values that are null here: a data policy hides them, or they have more than 4096
    characters."""


class DeadLetter(TypedDict):
    id: str
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    node_id: str
    queue_type: str
    status: Literal["dead_lettered"]
    tool: str
    attempt: int
    error: str
    handled: bool
    """The node failed and the execution continued: by a failure edge, a fallback node or its
    map."""
    undoes: DeadLetterUndoes | None
    """The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs
    the undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are
    left."""
    dead_lettered_at: str


class DeadLettersPage(TypedDict):
    work_items: list[DeadLetter]
    next_cursor: str | None
    """Null on the last page."""


class DeadLetterDetailsUndoes(TypedDict):
    node_id: str
    visit: int
    input: dict[str, Any] | list[Any] | str | float | bool | None
    """The input of the undo."""
    output: dict[str, Any] | list[Any] | str | float | bool | None
    """The output of the visit that it is to undo."""
    omitted: list[Literal["input", "output"]]
    """Values that are null here: a data policy hides them."""


class DeadLetterDetailsFailures(TypedDict):
    attempt: int
    error: str
    worker_id: str | None
    failed_at: str


class DeadLetterDetailsActionsRequeue(TypedDict):
    allowed: bool
    reason: str | None
    """Why it is not possible; null: it is."""


class DeadLetterDetailsActionsGiveUp(TypedDict):
    allowed: bool
    reason: str | None
    """Why it is not possible; null: it is."""


class DeadLetterDetailsActions(TypedDict):
    requeue: DeadLetterDetailsActionsRequeue
    """`POST /work-items/{id}/requeue`."""
    give_up: DeadLetterDetailsActionsGiveUp
    """`POST /executions/{id}/cancel`. It ends the execution; of one that is ending, it gives up
    the undo."""


class DeadLetterDetails(TypedDict):
    id: str
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    node_id: str
    queue_type: str
    status: Literal["dead_lettered"]
    tool: str
    attempt: int
    error: str
    handled: bool
    """The node failed and the execution continued: by a failure edge, a fallback node or its
    map."""
    undoes: DeadLetterDetailsUndoes | None
    """The completed visit that it is to undo; null: none. `POST /work-items/{id}/requeue` runs
    the undo again. `POST /executions/{id}/cancel` gives up undos when only dead letters are
    left."""
    dead_lettered_at: str
    workflow_id: str
    execution_status: Literal["running", "paused", "completed", "failed", "cancelled"]
    visit: int
    max_attempts: int
    input: dict[str, Any] | list[Any] | str | float | bool | None
    """The input of the item, as its worker got it."""
    omitted: list[Literal["input"]]
    """Values that are null here: a data policy hides them."""
    failures: list[DeadLetterDetailsFailures]
    """The failed attempts of its visit, oldest first; the latest 50."""
    actions: DeadLetterDetailsActions


class RequeuedWorkItem(TypedDict):
    requeued: Literal[True]
    work_item_id: str


class StoredArtifact(TypedDict):
    hash: str
    """`sha256:` and 64 lowercase hex digits."""
    size: int
    """Bytes."""
    content_type: str
    """As it was sent first."""


class AddedFact(TypedDict):
    id: str
    content: str
    agent_id: str | None
    end_user_id: str | None
    created_at: str


class RecalledFactsFacts(TypedDict):
    id: str
    content: str
    agent_id: str | None
    end_user_id: str | None
    created_at: str
    metadata: dict[str, Any]
    similarity: float
    """Cosine, from −1 to 1; nearest first."""


class RecalledFacts(TypedDict):
    facts: list[RecalledFactsFacts]


class ForgottenFacts(TypedDict):
    count: int
    """Facts forgotten by this request."""


class ScheduleFires(TypedDict):
    started: int
    skipped: int
    """Dropped because an execution was live, or refused by `concurrency`."""
    missed: int
    """Dropped as too late; up to 1000 for one outage."""
    failed: int
    """Could not be started."""


class Schedule(TypedDict):
    schedule_id: str
    name: str
    workflow_id: str
    workflow_version: str | None
    """Null: the latest registered version at each fire."""
    input: dict[str, Any]
    cron_expression: str | None
    every: str | None
    timezone: str
    overlap_policy: Literal["skip", "queue", "allow", "cancel_previous"]
    catchup_window_secs: int
    paused: bool
    revision: int
    """Counts the changes, from 1."""
    next_run_at: str | None
    """The first of `next_fires`; null while it is paused."""
    next_fires: list[str]
    """The next 10; none while it is paused."""
    waiting_fire_at: str | None
    """The fire that waits for the end of the last execution."""
    last_fire_at: str | None
    """The last fire that was started."""
    last_execution_id: str | None
    last_error: str | None
    """Why the last fire could not start; null: it started."""
    fires: ScheduleFires
    created_at: str
    updated_at: str


class SchedulesPage(TypedDict):
    schedules: list[Schedule]


class TriggeredSchedule(TypedDict):
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""


class ScheduleBackfillFires(TypedDict):
    fire_at: str
    execution_id: str
    """`exec_` and 32 lowercase hex digits."""
    outcome: Literal["started", "existed", "would_start"]
    """`existed`: the fire has started before. `would_start`: of a dry run."""


class ScheduleBackfill(TypedDict):
    fires: list[ScheduleBackfillFires]
    """Oldest first."""
    next_from: str | None
    """The first fire that is left, for `from` of the next request."""
    stopped_by: str | None
    """Why the fire at `next_from` was refused."""
