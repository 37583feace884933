/** A metric as it is exported and documented. */
export interface MetricSpec {
  /** Prometheus conventions: prefix `svc_`, base units, `_total` for counters. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Every label has few values; those that workflows name are bounded (see `boundLabels`). */
  readonly labels: readonly string[];
  /** Values of its one label that begin at 0, so that the first increase is visible. */
  readonly values?: readonly string[];
  /** Upper bounds; histograms only. */
  readonly buckets?: readonly number[];
}

const HTTP_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const ROUND_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];
const NODE_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600];
const EXECUTION_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 21_600, 86_400];

/** An execution waits for these before it begins; they are the kinds of `waiting_for`. */
const WAIT_REASONS = ['concurrency', 'rate', 'debounce', 'batch', 'max_concurrent_executions'];

/**
 * Every metric of the runtime. The keys of the engine's are the names it reports them by, see
 * `EngineReport`. `docs/reference/metrics.md` is made from this list.
 */
export const METRICS = {
  build_info: {
    name: 'svc_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what is running.',
    labels: ['version', 'role', 'node_version'],
  },

  http_requests: {
    name: 'svc_http_requests_total',
    type: 'counter',
    help: 'HTTP requests answered by the API, by route pattern.',
    labels: ['method', 'route', 'status'],
  },
  http_request_seconds: {
    name: 'svc_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time from the request line to the end of the answer.',
    labels: ['method', 'route'],
    buckets: HTTP_SECONDS,
  },

  executions_started: {
    name: 'svc_executions_started_total',
    type: 'counter',
    help: 'Executions created by this process.',
    labels: [],
  },
  executions_admitted: {
    name: 'svc_executions_admitted_total',
    type: 'counter',
    help: 'Executions that waited and got their place, by what they waited for.',
    labels: ['reason'],
    values: WAIT_REASONS,
  },
  executions_displaced: {
    name: 'svc_executions_displaced_total',
    type: 'counter',
    help: 'Executions cancelled for a newer one of their key: by when_full cancel_oldest, or by debounce.',
    labels: [],
  },
  executions_gathered: {
    name: 'svc_executions_gathered_total',
    type: 'counter',
    help: 'Executions that ended as cancelled because another one has their input in its batch.',
    labels: [],
  },
  execution_wait_seconds: {
    name: 'svc_execution_wait_duration_seconds',
    type: 'histogram',
    help:
      'Time from the start of an execution, or from its start_after, until it got what it waited for: ' +
      'by what that was. One that waited for its key and then for its tenant is observed for each.',
    labels: ['reason'],
    values: WAIT_REASONS,
    buckets: NODE_SECONDS,
  },
  quota_items_admitted: {
    name: 'svc_quota_items_admitted_total',
    type: 'counter',
    help: 'Work items that got a place of a quota.',
    labels: [],
  },
  execution_seconds: {
    name: 'svc_execution_duration_seconds',
    type: 'histogram',
    help: 'Time from the start of an execution to its end, by final status.',
    labels: ['status'],
    values: ['completed', 'failed', 'cancelled'],
    buckets: EXECUTION_SECONDS,
  },
  node_seconds: {
    name: 'svc_node_duration_seconds',
    type: 'histogram',
    help: 'Duration of an attempt at a node: in the engine its run, else from claim to settling.',
    labels: ['node_id', 'node_kind', 'outcome'],
    buckets: NODE_SECONDS,
  },
  tool_seconds: {
    name: 'svc_tool_duration_seconds',
    type: 'histogram',
    help: 'Duration of a tool call, including its worker; the count is the number of calls.',
    labels: ['tool_name'],
    buckets: NODE_SECONDS,
  },
  events: {
    name: 'svc_events_total',
    type: 'counter',
    help: 'Events recorded for executions, by kind.',
    labels: ['kind'],
  },
  model_tokens: {
    name: 'svc_model_tokens_total',
    type: 'counter',
    help: 'Tokens that models used.',
    labels: ['direction'],
    values: ['input', 'output'],
  },
  model_cost: {
    name: 'svc_model_cost_usd_total',
    type: 'counter',
    help: 'Cost of model usage in US dollars, for models with a known price.',
    labels: [],
  },
  commits: {
    name: 'svc_commits_total',
    type: 'counter',
    help: 'Transactions that committed a batch of execution changes.',
    labels: [],
  },
  commit_batch_plans: {
    name: 'svc_commit_batch_plans',
    type: 'histogram',
    help: 'Execution changes carried by one transaction.',
    labels: [],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  },
  commit_refusals: {
    name: 'svc_commit_refusals_total',
    type: 'counter',
    help: 'Changes refused because the execution, a lease or a timer had changed; decided again.',
    labels: ['reason'],
  },

  items_claimed: {
    name: 'svc_work_items_claimed_total',
    type: 'counter',
    help: 'Work items leased to a worker.',
    labels: [],
  },
  items_completed: {
    name: 'svc_work_items_completed_total',
    type: 'counter',
    help: 'Work items completed under their fence.',
    labels: [],
  },
  items_failed: {
    name: 'svc_work_items_failed_total',
    type: 'counter',
    help: 'Attempts reported as failed under their fence.',
    labels: [],
  },
  items_released: {
    name: 'svc_work_items_released_total',
    type: 'counter',
    help: 'Items that a worker released; a high rate means that workers claim tools they lack.',
    labels: [],
  },
  claim_wait_seconds: {
    name: 'svc_work_item_claim_wait_seconds',
    type: 'histogram',
    help: 'How long a successful claim waited for its item.',
    labels: [],
    buckets: HTTP_SECONDS,
  },
  retries: {
    name: 'svc_work_item_retries_total',
    type: 'counter',
    help: 'Failed attempts that will be retried.',
    labels: ['node_id'],
  },
  dead_letters: {
    name: 'svc_work_items_dead_lettered_total',
    type: 'counter',
    help: 'Work items for workers that failed permanently.',
    labels: [],
  },
  leases_reclaimed: {
    name: 'svc_leases_reclaimed_total',
    type: 'counter',
    help: 'Leases taken back: they expired, or the attempt ran out of time.',
    labels: ['cause'],
    values: ['lapsed', 'timeout'],
  },
  unfenced_settles: {
    name: 'svc_unfenced_settles_total',
    type: 'counter',
    help: 'Deprecated: items completed or failed without lease_fence.',
    labels: [],
  },
  unrecorded_keys: {
    name: 'svc_unrecorded_keys_total',
    type: 'counter',
    help: 'Deprecated: items completed without idempotency_key.',
    labels: [],
  },
  timers_fired: {
    name: 'svc_timers_fired_total',
    type: 'counter',
    help: 'Durable timers that fired.',
    labels: ['purpose'],
  },
  webhook_attempts: {
    name: 'svc_webhook_attempts_total',
    type: 'counter',
    help: 'Messages sent to webhooks, by outcome; again: will be sent again.',
    labels: ['outcome'],
    values: ['delivered', 'again', 'failed'],
  },
  schedule_fires: {
    name: 'svc_schedule_fires_total',
    type: 'counter',
    help: 'Fires of schedules, by outcome.',
    labels: ['outcome'],
    values: ['started', 'skipped', 'missed', 'failed'],
  },
  executions_retired: {
    name: 'svc_executions_retired_total',
    type: 'counter',
    help: 'Executions removed by retention.',
    labels: [],
  },
  events_retired: {
    name: 'svc_events_retired_total',
    type: 'counter',
    help: 'Events of executions removed by retention.',
    labels: [],
  },
  replay_records_deleted: {
    name: 'svc_replay_records_deleted_total',
    type: 'counter',
    help: 'Results kept for replay that were deleted before their execution.',
    labels: [],
  },
  event_partitions_dropped: {
    name: 'svc_event_partitions_dropped_total',
    type: 'counter',
    help: 'Partitions of events dropped because all of their executions were removed.',
    labels: [],
  },
  event_partitions_shrunk: {
    name: 'svc_event_partitions_shrunk_total',
    type: 'counter',
    help: 'Partitions of events rewritten with the few events that remained.',
    labels: [],
  },
  artifacts_removed: {
    name: 'svc_artifacts_removed_total',
    type: 'counter',
    help: 'Artifacts removed by retention because nothing referred to them.',
    labels: [],
  },
  artifact_bytes_removed: {
    name: 'svc_artifact_bytes_removed_total',
    type: 'counter',
    help: 'Bytes of the artifacts removed by retention.',
    labels: [],
  },
  troubles: {
    name: 'svc_troubles_total',
    type: 'counter',
    help: 'Unexpected errors that the process survived; each one is logged.',
    labels: ['what'],
  },

  loop_rounds: {
    name: 'svc_loop_rounds_total',
    type: 'counter',
    help: 'Rounds of the scheduler loops.',
    labels: ['loop', 'outcome'],
  },
  loop_found: {
    name: 'svc_loop_found_total',
    type: 'counter',
    help: 'Items that the scheduler loops found and handled.',
    labels: ['loop'],
  },
  loop_round_seconds: {
    name: 'svc_loop_round_duration_seconds',
    type: 'histogram',
    help: 'Duration of a round of a scheduler loop.',
    labels: ['loop'],
    buckets: ROUND_SECONDS,
  },
  loop_last_success: {
    name: 'svc_loop_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'Unix time of the last round of a scheduler loop without an error.',
    labels: ['loop'],
  },
  shards_held: {
    name: 'svc_shards_held',
    type: 'gauge',
    help: 'Shards this scheduler works.',
    labels: [],
  },
  audit_unsealed_seconds: {
    name: 'svc_audit_unsealed_seconds',
    type: 'gauge',
    help: 'How far behind the clock the sealed part of the audit log ends.',
    labels: [],
  },
  under_way: {
    name: 'svc_executions_under_way',
    type: 'gauge',
    help: 'Executions and in-engine nodes this scheduler is working on.',
    labels: [],
  },

  queue_items: {
    name: 'svc_queue_items',
    type: 'gauge',
    help: 'Work items that wait for a worker, or for the engine itself. For the whole cluster.',
    labels: ['queue'],
  },
  queue_oldest_seconds: {
    name: 'svc_queue_oldest_item_age_seconds',
    type: 'gauge',
    help: 'How long the oldest waiting item has waited; 0: no item waits. For the whole cluster.',
    labels: ['queue'],
  },
  leased_items: {
    name: 'svc_leased_items',
    type: 'gauge',
    help: 'Work items that are leased. For the whole cluster.',
    labels: ['queue'],
  },
  live_executions: {
    name: 'svc_executions',
    type: 'gauge',
    help: 'Executions that have not ended, by status. For the whole cluster.',
    labels: ['status'],
  },
  waiting_children: {
    name: 'svc_executions_waiting_for_place',
    type: 'gauge',
    help: 'Executions that wait for a place of max_concurrent_executions. For the whole cluster.',
    labels: [],
  },
  waiting_starts: {
    name: 'svc_executions_waiting',
    type: 'gauge',
    help:
      'Executions that have not begun, by what they wait for, as in waiting_for: concurrency, rate, ' +
      'debounce, batch or max_concurrent_executions. For the whole cluster.',
    labels: ['reason'],
  },
  quota_waiting_items: {
    name: 'svc_quota_waiting_items',
    type: 'gauge',
    help: 'Work items that wait for a place of a quota. For the whole cluster.',
    labels: [],
  },
  late_seconds: {
    name: 'svc_overdue_seconds',
    type: 'gauge',
    help:
      'Delay of the oldest expired lease, due timer or due retry; 0: none is late. For the whole ' +
      'cluster.',
    labels: ['kind'],
  },
  memory_facts: {
    name: 'svc_memory_facts',
    type: 'gauge',
    help: 'Facts in memory that are not forgotten. For the whole cluster.',
    labels: [],
  },
  memory_quota_used: {
    name: 'svc_memory_quota_used_ratio',
    type: 'gauge',
    help: "Highest share of a tenant's quota of facts in use. For the whole cluster.",
    labels: [],
  },
  cluster_reading_age: {
    name: 'svc_cluster_reading_age_seconds',
    type: 'gauge',
    help: 'Age of the cluster metrics that this process reports.',
    labels: [],
  },

  trace_spans: {
    name: 'svc_trace_spans_total',
    type: 'counter',
    help: 'Spans for the trace collector, by outcome; dropped: it is unavailable or too slow.',
    labels: ['outcome'],
    values: ['exported', 'dropped'],
  },
  event_loop_active: {
    name: 'svc_event_loop_active_seconds_total',
    type: 'counter',
    help: "Busy time of the process's one thread; its rate is the utilization.",
    labels: [],
  },
  event_loop_delay_p99: {
    name: 'svc_event_loop_delay_p99_seconds',
    type: 'gauge',
    help: 'Delay of timers since the last scrape, 99th percentile.',
    labels: [],
  },
  event_loop_delay_max: {
    name: 'svc_event_loop_delay_max_seconds',
    type: 'gauge',
    help: 'Delay of timers since the last scrape, maximum.',
    labels: [],
  },
  database_connections: {
    name: 'svc_database_connections',
    type: 'gauge',
    help: 'Connections of the engine and of readers; waiting: callers waiting for one.',
    labels: ['state'],
  },
  replica_reads: {
    name: 'svc_replica_reads_total',
    type: 'counter',
    help:
      'Reads that may come from the replica: from there, or from the primary because it is lagging, ' +
      'unreachable, unfit or busy, refused it (conflict), or has not been asked of late (unmeasured).',
    labels: ['outcome'],
  },
  memory_index_bytes: {
    name: 'svc_memory_index_bytes',
    type: 'gauge',
    help: 'Memory that holds the index of facts.',
    labels: [],
  },
  cpu_pool_threads: {
    name: 'svc_cpu_pool_threads',
    type: 'gauge',
    help: 'Worker threads for CPU-bound work.',
    labels: [],
  },
  cpu_pool_waiting: {
    name: 'svc_cpu_pool_waiting_tasks',
    type: 'gauge',
    help: 'CPU-bound tasks that wait for a thread.',
    labels: [],
  },
  cpu_pool_tasks: {
    name: 'svc_cpu_pool_tasks_total',
    type: 'counter',
    help:
      'CPU-bound tasks, by thread and outcome: ok, error, time_limit, memory_limit, or not ' +
      'started: refused_tenant_limit, refused_tenant_queue, refused_queue, refused_wait, ' +
      'refused_abandoned (also interrupted), refused_stop.',
    labels: ['task', 'place', 'outcome'],
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricKey = keyof typeof METRICS;
type KeyOfType<Type extends MetricSpec['type']> = {
  [Key in MetricKey]: (typeof METRICS)[Key]['type'] extends Type ? Key : never;
}[MetricKey];
export type CounterKey = KeyOfType<'counter'>;
export type GaugeKey = KeyOfType<'gauge'>;
export type HistogramKey = KeyOfType<'histogram'>;
