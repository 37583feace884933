import { METRICS } from './metric-list.ts';
import type { MetricSpec } from './metric-list.ts';

/** The text of `docs/reference/metrics.md`. */
export function renderMetricsDocument(): string {
  const specs: readonly MetricSpec[] = Object.values(METRICS);
  const rows = specs.map(renderRow);
  const buckets = specs.filter((spec) => spec.buckets !== undefined).map(renderBuckets);
  return [
    INTRODUCTION,
    '| Metric | Type | Labels | Meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    '## Buckets',
    '',
    '| Histogram | Upper bounds |',
    '| --- | --- |',
    ...buckets,
    '',
    DEFAULTS,
  ].join('\n');
}

const INTRODUCTION = `# Metrics

Every process serves its metrics in the Prometheus text format at \`/metrics\` of its ops listener
(\`telemetry.metrics_port\`: 9464 for the API, 9465 for the scheduler), beside \`/health\` and
\`/ready\`. Counters start at 0 with the process. Label values are few: ids of executions, tenants and raw
paths never are labels.

Workflows name the values of \`node_id\` and \`tool_name\`. Each process keeps the first 100 values of such a
label on a metric; every further value counts as \`other\`. Registrations therefore can't
increase the number of series without bound. The same name in two workflows or tenants is one value.

This page is made from \`src/shared/telemetry/metric-list.ts\`; after a change there, run
\`UPDATE_DOCS=1 npx ava test/shared/telemetry/metrics-document.test.ts\`.

One scheduler reads the metrics "of the cluster" from the database, every 15 s to 60 s, for all. The other
processes have no such series; for a while after a change of that duty two have. Therefore ask for \`max by (queue) (svc_queue_items)\`, never for a sum over processes. The cost of a
reading is bounded: it jumps through indexes from group to group, at most 1 000 tenants and 1 000 places (tenant,
queue and priority), and counts at most 20 000 rows of a kind; beyond that a count is a lower bound.
Ages are always exact. All other metrics belong to a process: add them up.

## The runtime's own
`;

const DEFAULTS = `## Process

The process's own figures come under their usual names: CPU time, memory and files (\`process_*\`),
garbage collection and heap (\`nodejs_*\`).

## What the integrations count

Companion libraries, such as the one for [Spring](../guides/spring.md), have their own metrics
of the application that they run in. These are their counterparts here:

| In an application | Here |
| --- | --- |
| \`svc.execution.duration\`, \`svc.execution.count\` | \`svc_execution_duration_seconds\`, its \`_count\` by \`status\` |
| \`svc.node.duration\` | \`svc_node_duration_seconds\` by \`node_id\` and \`node_kind\` |
| \`svc.node.retries\` | \`svc_work_item_retries_total\` by \`node_id\` |
| \`svc.tool.calls\`, \`svc.tool.duration\` | \`svc_tool_duration_seconds\`, its \`_count\`, by \`tool_name\` |
| \`svc.execution.cost.usd\` | \`svc_model_cost_usd_total\` |
| \`svc.audit.events\` | \`svc_events_total\` |

## Asking a question

| Question | Query |
| --- | --- |
| Requests a second, by route | \`sum by (route) (rate(svc_http_requests_total[5m]))\` |
| Part of the requests that fail here | \`sum(rate(svc_http_requests_total{status=~"5.."}[5m])) / sum(rate(svc_http_requests_total[5m]))\` |
| 99th percentile of the time of a start | \`histogram_quantile(0.99, sum by (le) (rate(svc_http_request_duration_seconds_bucket{method="POST",route="/executions"}[5m])))\` |
| How busy a process's one thread is, 0 to 1 | \`rate(svc_event_loop_active_seconds_total[1m])\` |
| Workers to add to a queue | \`max by (queue) (svc_queue_items)\` over what one worker does in the time one may wait |
`;

function renderRow(spec: MetricSpec): string {
  const labels = spec.labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${spec.name}\` | ${spec.type} | ${labels || '–'} | ${spec.help} |`;
}

function renderBuckets(spec: MetricSpec): string {
  return `| \`${spec.name}\` | ${(spec.buckets ?? []).join(', ')} |`;
}
