import { METRICS } from './metric-list.ts';
import type { MetricSpec } from './metric-list.ts';

/** The text of `docs/metrics.md`. */
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
\`/ready\`. Counters start at 0 with the process. Label values are few and known in advance: ids,
tenants and raw paths never are labels.

This page is made from \`src/shared/telemetry/metric-list.ts\`; after a change there, run
\`UPDATE_DOCS=1 npx ava test/shared/telemetry/metrics-document.test.ts\`.

## The runtime's own
`;

const DEFAULTS = `## Process

The process's own figures come under their usual names: CPU time and memory (\`process_*\`), event
loop lag, garbage collection, heap and handles (\`nodejs_*\`).
`;

function renderRow(spec: MetricSpec): string {
  const labels = spec.labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${spec.name}\` | ${spec.type} | ${labels || '–'} | ${spec.help} |`;
}

function renderBuckets(spec: MetricSpec): string {
  return `| \`${spec.name}\` | ${(spec.buckets ?? []).join(', ')} |`;
}
