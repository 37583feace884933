import { METRICS, type MetricSpec } from '../../src/shared/telemetry/metric-list.ts';
import { createMetrics } from '../../src/shared/telemetry/metrics.ts';

/** Labels that Prometheus adds to the series of any target. */
const TARGET_LABELS = ['job', 'instance'];

/**
 * Finds wrong names in a query: metrics that no process has, and labels that the queried metric
 * lacks. It is no parser: it recognizes our metrics by their prefix, and takes everything in braces
 * or after `by`, `on` and the like for a label.
 */
export function createQueryCheck(): (query: string) => readonly string[] {
  const known = listSeries();
  return (query) => {
    const problems: string[] = [];
    const labels = new Set<string>();
    let found = 0;
    for (const [, name = '', matchers = ''] of query.matchAll(SELECTOR)) {
      found += 1;
      const own = known.get(name);
      if (own === undefined) {
        problems.push(`no process has ${name}`);
        continue;
      }
      for (const label of own) labels.add(label);
      for (const [, label = ''] of matchers.matchAll(MATCHER)) {
        if (!own.includes(label)) problems.push(`${name} has no label ${label}`);
      }
    }
    if (found === 0) problems.push('it asks for nothing');
    for (const [, group = ''] of query.matchAll(GROUPING)) {
      for (const label of group.split(',').map((part) => part.trim())) {
        if (label !== '' && !labels.has(label)) problems.push(`nothing here has a label ${label}`);
      }
    }
    return problems;
  };
}

/** The labels that remain after an aggregation; null: without one, all labels remain. */
export function labelsLeft(query: string): readonly string[] | null {
  const grouped = /\bby\s*\(([^)]*)\)/.exec(query)?.[1];
  if (grouped !== undefined) return grouped.split(',').map((label) => label.trim());
  return /^[\s(]*(?:sum|max|count|absent)\b/.test(query) ? [] : null;
}

/** The labels that a legend or a summary shows: those in double braces. */
export function labelsTold(text: string): readonly string[] {
  return [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(
    ([, label = '']) => label,
  );
}

const SELECTOR = /\b((?:svc|process|nodejs)_[a-z0-9_]+|up)\b(?:\{([^}]*)\})?/g;
const MATCHER = /([a-z_]+)\s*(?:=~|!~|!=|=)/g;
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;

/** Names of series as Prometheus stores them, with their labels. */
function listSeries(): ReadonlyMap<string, readonly string[]> {
  const series = new Map<string, readonly string[]>([['up', TARGET_LABELS]]);
  const add = (name: string, labels: readonly string[], type: string): void => {
    const all = [...TARGET_LABELS, ...labels];
    if (type !== 'histogram') return void series.set(name, all);
    series.set(`${name}_bucket`, [...all, 'le']);
    for (const part of ['sum', 'count']) series.set(`${name}_${part}`, all);
  };
  const log = { error: () => undefined };
  const { registry } = createMetrics({ version: '1', role: 'all', log, now: () => 0 });
  for (const { name, type } of registry.getMetricsAsArray()) add(name, [], String(type));
  const specs: readonly MetricSpec[] = Object.values(METRICS);
  for (const { name, labels, type } of specs) add(name, labels, type);
  return series;
}
