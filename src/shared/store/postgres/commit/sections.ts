import type { ExecutionId } from '../../../domain/ids.ts';
import type { WebhookMessage } from '../../../domain/webhooks/webhook.ts';
import { queueKeyOf } from '../../../domain/work/queue-key.ts';
import {
  type CommitPlan,
  leasesToWorkers,
  type NewEvent,
  type NewExecution,
  type StartedExecution,
} from '../../commit.ts';
import { approvalChangesOf } from '../../rows/approval-changes.ts';
import { labelsOf, setLabelsOf } from '../../rows/label-rows.ts';
import { hasMessages, messagesOf, messagesOfStarted } from '../../rows/webhook-messages.ts';
import { writeLine } from '../../rows/wait-line.ts';
import { toUuid, writeRetryPolicy } from '../rows.ts';
import { executionsThat, optionalRow, section, type Columns } from './section.ts';
import {
  dropsOf,
  durationOf,
  handoverOf,
  itemsOf,
  LEASE_COLUMNS,
  placeOf,
  releaseOf,
  TICKET_COLUMNS,
  ticketsOf,
  toolOf,
} from './tickets.ts';

/*
 * The parameters of a commit on PostgreSQL: the only list of its columns. Both commit statements
 * take their parameters from here: `commit/sql.ts` judges plan by plan and joins by `position`;
 * `commit/optimistic/sql.ts` writes without judging and joins by `execution_id`. A statement
 * encodes the columns that its text names, and no others.
 */

const NONE: readonly never[] = [];

/** The caller's fields of an event; named as in `events`. */
const EVENT_COLUMNS = {
  kind: ['text', ({ kind }) => kind],
  node_id: ['text', ({ nodeId }) => nodeId],
  payload: ['json', ({ payload }) => payload],
  actor_id: ['text', ({ actorId }) => actorId],
} as const satisfies Columns<NewEvent>;

/** The fields of a new execution from its definition; the columns are named as in `executions`. */
const START_COLUMNS = {
  definition_id: ['uuid', ({ definitionId }) => definitionId],
  workflow_id: ['text', ({ workflowId }) => workflowId],
  workflow_version: ['text', ({ workflowVersion }) => workflowVersion],
  shard: ['int2', ({ shard }) => shard],
  priority: ['int4', ({ priority }) => priority],
  parent_execution_id: ['uuid', ({ parentExecutionId }) => uuidOrNull(parentExecutionId)],
} as const satisfies Columns<NewExecution | StartedExecution>;

export const COMMIT_SECTIONS = {
  /** All plans of the batch. */
  plans: optionalRow((plan) => plan, {
    is_new: ['bool', ({ create }) => create !== null],
    expected: ['int4', ({ expectedSequence }) => expectedSequence],
    event_count: ['int4', ({ events }) => events.length],
    status: ['text', ({ status }) => status],
    error: ['text', ({ error }) => error],
    runnable: ['text', ({ runnable }) => runnable],
    revokes_all: ['bool', ({ revokesAll }) => revokesAll],
  }),
  /** Plans that end their execution as failed. */
  failures: optionalRow(({ failure }) => failure, {
    error_class: ['text', ({ errorClass }) => errorClass],
    error_node_id: ['text', ({ nodeId }) => nodeId],
    cause_key: ['int8', ({ causeKey }) => causeKey],
  }),
  /** Plans of executions that exist already. */
  moves: optionalRow((plan) => (plan.create === null ? plan : null), {
    expected: ['int4', ({ expectedSequence }) => expectedSequence],
    event_count: ['int4', ({ events }) => events.length],
    status: ['text', ({ status }) => status],
    error: ['text', ({ error }) => error],
  }),
  events: section(({ events }) => events, {
    /** Within the plan, if only the statement can find the sequence before it. */
    sequence: ['int4', (_, { batched, index }) => batched.base + index + 1],
    ...EVENT_COLUMNS,
  }),

  creates: optionalRow(({ create }) => create, {
    ...START_COLUMNS,
    status: ['text', (_, { batched }) => batched.plan.status ?? 'running'],
    last_sequence: ['int4', (_, { batched }) => batched.plan.events.length],
    error: ['text', (_, { batched }) => batched.plan.error],
  }),
  limits: optionalRow(({ create }) => create?.limits ?? null, {
    executions_max: ['int8', ({ executionsMax }) => executionsMax],
    queued_max: ['int8', ({ queuedItemsMax }) => queuedItemsMax],
    /** Items that the plan puts on queues of workers. */
    items: ['int4', (_, { batched }) => countQueued(batched.plan)],
  }),
  /** New executions whose id may be that of a removed one. */
  derived: executionsThat(({ create }) => create?.isDerived === true),
  /** Executions that wait for a place of their key from here on. */
  waits: optionalRow(({ create, entersQueue }) => create?.awaitsPlace ?? entersQueue ?? null, {
    place_key: ['text', ({ placeKey }) => placeKey],
    places_max: ['int4', ({ placesMax }) => placesMax],
    shard: ['int2', (_, { batched }) => shardOfWait(batched.plan)],
    places_key: ['text', ({ rate }) => rate?.placesKey ?? null],
    bucket_key: ['text', ({ rate }) => rate?.bucket.key ?? null],
    interval_us: ['int8', ({ rate }) => rate?.bucket.intervalUs ?? null],
    burst: ['int4', ({ rate }) => rate?.bucket.burst ?? null],
    cancels_oldest: ['bool', ({ cancelsOldest = false }) => cancelsOldest],
    keeps_limit: ['bool', ({ keepsLimit = false }) => keepsLimit],
    keeps_rate: ['bool', ({ keepsRate = false }) => keepsRate],
    debounce_ms: ['int8', ({ debounce }) => debounce?.waitMs ?? null],
    debounce_max_ms: ['int8', ({ debounce }) => debounce?.maxWaitMs ?? null],
    batch_ms: ['int8', ({ batch }) => batch?.waitMs ?? null],
    batch_bytes: ['int4', ({ batch }) => batch?.bytes ?? null],
    next_line: ['text', ({ debounce }) => writeLine(debounce?.next ?? null)],
  }),
  /** Executions that wait for a place of their tenant from here on. */
  tenantLines: optionalRow(({ tenantLine }) => tenantLine ?? null, {
    state: ['text', ({ state }) => state],
    shard: ['int2', ({ shard }) => shard],
    is_new: ['bool', ({ isNew }) => isNew],
  }),
  /** New executions that take a place of their key. */
  takes: optionalRow(({ create }) => create?.takesPlace ?? null, {
    place_key: ['text', ({ placeKey }) => placeKey],
    places_max: ['int4', ({ placesMax }) => placesMax],
  }),
  requests: optionalRow(({ create }) => create?.request ?? null, {
    key: ['text', ({ key }) => key],
    body_hash: ['text', ({ bodyHash }) => bodyHash],
  }),

  /** Executions that the plan of another execution starts. */
  runs: section(({ startsExecutions }) => startsExecutions, {
    id: ['uuid', ({ executionId }) => toUuid(executionId)],
    ...START_COLUMNS,
    payload: ['json', ({ started }) => started.payload],
    actor_id: ['text', ({ started }) => started.actorId],
    input_tokens: ['int8', ({ used }) => used?.inputTokens ?? null],
    output_tokens: ['int8', ({ used }) => used?.outputTokens ?? null],
    cost_usd: ['float8', ({ used }) => used?.costUsd ?? null],
    waits_for_place: ['bool', ({ waitsForPlace }) => waitsForPlace],
    /** Null: it is new. */
    continues: ['uuid', ({ used }, { batched }) => (used === null ? null : batched.execution)],
    takes_place_of: ['uuid', ({ takesPlaceOf }) => uuidOrNull(takesPlaceOf)],
  }),
  /** The labels of executions that the plan makes. */
  labels: section(labelsOf, {
    /** An execution that the plan starts; null: the plan's execution. */
    started_id: ['uuid', ({ startedId }) => uuidOrNull(startedId)],
    name: ['text', ({ name }) => name],
    value: ['text', ({ value }) => value],
  }),
  /** The labels that the plan sets. */
  setLabels: section(setLabelsOf, {
    name: ['text', ({ name }) => name],
    value: ['text', ({ value }) => value],
  }),
  trees: optionalRow(({ tree }) => tree, {
    root: ['uuid', ({ rootExecutionId }) => toUuid(rootExecutionId)],
    doing: ['text', (tree) => tree.is],
    adds: ['int4', ({ adds }) => adds],
    descendants_max: ['int8', ({ descendantsMax }) => descendantsMax],
  }),
  /** Plans that are all accepted, or none. */
  together: executionsThat(({ isTogether }) => isTogether === true),
  /** Executions that end, and so stop waiting for a place. */
  leavesQueue: executionsThat(({ leavesQueue }) => leavesQueue),
  /** Executions that stop waiting for their key alone. */
  leavesLine: executionsThat(({ leavesLine }) => leavesLine === true),
  /** Executions that begin and stay marked. */
  usesToken: executionsThat(({ usesToken }) => usesToken === true),

  settles: section(({ settles }) => settles, {
    work_item_id: ['uuid', ({ workItemId }) => workItemId],
    lease_fence: ['int8', ({ leaseFence }) => leaseFence],
    if_expired: ['bool', ({ onlyIfExpired }) => onlyIfExpired],
  }),
  keeps: section(({ keepsLeases }) => keepsLeases, {
    work_item_id: ['uuid', ({ workItemId }) => workItemId],
    lease_fence: ['int8', ({ leaseFence }) => leaseFence],
  }),
  expires: section(({ expiresQueued }) => expiresQueued, {
    work_item_id: ['uuid', (workItemId) => workItemId],
  }),
  revokesItems: section(({ revokesItems }) => revokesItems, {
    work_item_id: ['uuid', (workItemId) => workItemId],
  }),
  /** Executions that lose some or all of their items. */
  revokes: executionsThat(({ revokesAll, revokesItems }) => revokesAll || revokesItems.length > 0),
  revokesAll: executionsThat(({ revokesAll }) => revokesAll),
  /** Executions whose waiting items are held or released. */
  holds: executionsThat(({ waitingItems }) => waitingItems === 'hold'),
  releases: executionsThat(({ waitingItems }) => waitingItems === 'release'),
  /** Executions that the pause of their workflow holds or releases. */
  pauses: optionalRow(({ workflowHold }) => workflowHold, {
    workflow_id: ['text', ({ workflowId }) => workflowId],
    change: ['text', (hold) => hold.is],
  }),

  /** Items in any place: on a queue, in a lease, or among the retries. */
  tickets: section(ticketsOf, {
    ordinal: ['int4', (_, { ordinal }) => ordinal],
    place: ['text', placeOf],
    ...TICKET_COLUMNS,
    worker_id: ['text', (ticket) => ('leaseTo' in ticket ? ticket.leaseTo : null)],
    claim_id: ['uuid', (ticket) => ('leaseTo' in ticket ? (ticket.claimId ?? null) : null)],
    /** Length of the lease, or delay of the retry. */
    ms: ['int8', durationOf],
    queue_key: ['text', ({ ticket }) => queueKeyOf(ticket)],
    queue_name: ['text', ({ ticket }) => ticket.queueName ?? null],
    /** Null: the statement reads it from the item. */
    tool: ['text', toolOf],
    /** For a released item: its place on the queue, and its former fence. */
    seq: ['int8', (ticket) => releaseOf(ticket)?.place?.seq ?? null],
    queued_at: ['timestamptz', (ticket) => releaseOf(ticket)?.place?.queuedAt ?? null],
    fence: ['int8', (ticket) => releaseOf(ticket)?.leaseFence ?? null],
    is_held: ['bool', (ticket) => releaseOf(ticket)?.isHeld ?? false],
  }),
  /** Executions with items that are leased to workers from birth. */
  offers: executionsThat(leasesToWorkers),
  leases: section(({ bornLeased }) => bornLeased, LEASE_COLUMNS),
  /** A lease that the plan begins, and the one of the same execution that it ends. */
  handovers: optionalRow(handoverOf, {
    ...LEASE_COLUMNS,
    ended_item: ['uuid', ({ ended }) => ended.workItemId],
    ended_fence: ['int8', ({ ended }) => ended.leaseFence],
  }),
  /** Leases that end without another to follow them. */
  drops: section(dropsOf, {
    work_item_id: ['uuid', ({ workItemId }) => workItemId],
    lease_fence: ['int8', ({ leaseFence }) => leaseFence],
  }),
  queued: section(({ newItems }) => newItems, {
    ...TICKET_COLUMNS,
    queue_key: ['text', ({ ticket }) => queueKeyOf(ticket)],
    queue_name: ['text', ({ ticket, record }) => ticket.queueName ?? record?.queueName ?? null],
    tool: ['text', toolOf],
  }),
  /** The fields of new items that workers get; named as in `work_items`. */
  items: section(itemsOf, {
    work_item_id: ['uuid', ({ record }) => record.workItemId],
    node_id: ['text', ({ record }) => record.nodeId],
    visit: ['int4', ({ record }) => record.visit],
    queue: ['text', ({ record }) => record.queue],
    idempotency_key: ['text', ({ record }) => record.idempotencyKey],
    tool: ['text', ({ record }) => record.tool],
    payload: ['json', ({ record }) => JSON.stringify(record.payload)],
    retry_policy: ['json', ({ record }) => writeRetryPolicy(record.retryPolicy)],
    heartbeat_interval_ms: ['int4', ({ record }) => record.heartbeatIntervalMs],
    node_timeout_ms: ['int8', ({ ticket }) => ticket.nodeTimeoutMs],
    schedule_to_start_ms: ['int8', ({ ticket }) => ticket.scheduleToStartMs],
    queue_name: ['text', ({ record }) => record.queueName ?? null],
  }),

  fires: section(({ firesTimers }) => firesTimers, {
    name: ['text', (name) => name],
  }),
  /** Timers to delete: fired and cancelled ones. */
  goneTimers: section(goneTimersOf, {
    name: ['text', (name) => name],
  }),
  /** Executions that lose timers. */
  losesTimers: executionsThat(
    (plan) => plan.revokesAll || plan.firesTimers.length > 0 || plan.cancelsTimers.length > 0,
  ),
  heldTimers: section(({ holdsTimers }) => holdsTimers, {
    name: ['text', (name) => name],
  }),
  releasedTimers: section(({ releasesTimers }) => releasesTimers, {
    name: ['text', (name) => name],
  }),
  timers: section(({ startsTimers }) => startsTimers, {
    /** Null: the plan's execution. */
    of_execution: ['uuid', ({ executionId }) => uuidOrNull(executionId)],
    name: ['text', ({ name }) => name],
    delay_ms: ['int8', ({ when }) => ('delayMs' in when ? when.delayMs : null)],
    until: ['timestamptz', ({ when }) => ('until' in when ? when.until : null)],
    purpose: ['text', ({ purpose }) => purpose],
    node_id: ['text', ({ nodeId }) => nodeId],
    visit: ['int4', ({ visit }) => visit],
  }),

  snapshots: optionalRow(({ snapshot }) => snapshot, {
    body: ['text', (snapshot) => snapshot],
  }),
  deadLetters: section(({ deadLetters }) => deadLetters, {
    work_item_id: ['uuid', ({ workItemId }) => workItemId],
    attempt: ['int4', ({ attempt }) => attempt],
    error: ['text', ({ error }) => error],
    error_class: ['text', ({ errorClass }) => errorClass],
    cause_key: ['int8', ({ causeKey }) => causeKey],
  }),
  /** The messages for webhooks, even if the tenant has none. */
  messages: section(allMessagesOf, {
    /** An execution that the plan starts; null: the plan's execution. */
    started_id: ['uuid', (told) => ('message' in told ? toUuid(told.executionId) : null)],
    ordinal: ['int4', (_, { index }) => index],
    type: ['text', (told) => contentOf(told).eventType],
    data: ['json', (told) => JSON.stringify(contentOf(told).data)],
    status: ['text', (told) => contentOf(told).ifStatusBecomes],
  }),
  /** Changes of the list of approvals. */
  approvals: section(approvalChangesOf, {
    change: ['text', (change) => change.is],
    /** Within the plan. */
    sequence: ['int4', ({ eventIndex }) => eventIndex + 1],
    node_id: ['text', ({ nodeId }) => nodeId],
    visit: ['int4', ({ visit }) => visit],
    step: ['text', ({ step }) => step],
  }),
  charges: optionalRow(({ charge }) => charge, {
    input_tokens: ['int8', ({ inputTokens }) => inputTokens],
    output_tokens: ['int8', ({ outputTokens }) => outputTokens],
    cost_usd: ['float8', ({ costUsd }) => costUsd],
  }),

  /** Executions to mark for a decision, and executions whose mark is cleared. */
  marks: executionsThat(({ runnable, status }) => runnable === 'mark' && status === null),
  clears: executionsThat(
    ({ create, runnable, status }) => create === null && (runnable === 'clear' || status !== null),
  ),
} as const;

export const EVENT_NAMES = keysOf(EVENT_COLUMNS);
export const START_NAMES = keysOf(START_COLUMNS);

function keysOf<Name extends string>(columns: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(columns) as Name[];
}

function uuidOrNull(id: ExecutionId | null): string | null {
  return id === null ? null : toUuid(id);
}

function countQueued({ newItems }: CommitPlan): number {
  return newItems.filter(({ record }) => record !== null).length;
}

function goneTimersOf({ firesTimers, cancelsTimers }: CommitPlan): readonly string[] {
  if (cancelsTimers.length === 0) return firesTimers;
  return firesTimers.length === 0 ? cancelsTimers : [...firesTimers, ...cancelsTimers];
}

type Told = WebhookMessage | ReturnType<typeof messagesOfStarted>[number];

function allMessagesOf(plan: CommitPlan): readonly Told[] {
  if (!hasMessages(plan)) return NONE;
  const own = messagesOf(plan);
  const started = messagesOfStarted(plan);
  return started.length === 0 ? own : [...own, ...started];
}

function contentOf(told: Told): WebhookMessage {
  return 'message' in told ? told.message : told;
}

function shardOfWait({ create, entersQueue }: CommitPlan): number | null {
  return create?.shard ?? entersQueue?.shard ?? null;
}
