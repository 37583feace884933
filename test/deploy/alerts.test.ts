import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';

import { createQueryCheck, labelsLeft, labelsTold } from './promql.ts';

/*
 * `promtool test rules deploy/prometheus/alerts.test.yaml` tests that the alerts fire. These tests
 * check that alerts query existing series, and that a page explains each.
 */

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert);
const check = createQueryCheck();

for (const { alert, expr, labels, annotations } of rules) {
  test(`${alert} asks for metrics and labels that exist`, (t) => {
    t.deepEqual(check(expr), []);
    const left = labelsLeft(expr);
    for (const label of labelsTold(annotations.summary)) {
      t.true(left === null || left.includes(label), `it has no label ${label} left`);
    }
    t.true(['page', 'ticket'].includes(labels['severity'] ?? ''));
  });
}

test('a query that asks for something else is found out', (t) => {
  t.deepEqual(check('rate(svc_http_request_total[5m]) > 0'), [
    'no process has svc_http_request_total',
  ]);
  t.deepEqual(check('sum(svc_queue_items{queue_type="engine"})'), [
    'svc_queue_items has no label queue_type',
  ]);
  t.deepEqual(check('sum by (route) (svc_shards_held)'), ['nothing here has a label route']);
  t.deepEqual(check('rate(svc_http_request_duration_seconds[5m])'), [
    'no process has svc_http_request_duration_seconds',
  ]);
  t.deepEqual(check('1 > 0'), ['it asks for nothing']);
});

test('no alert appears twice', (t) => {
  t.is(new Set(names).size, names.length);
});

test('each alert has its section in the runbook, and each section its alert', (t) => {
  const sections = [...read('docs/operate/runbook.md').matchAll(/^### (.+)$/gm)].map(
    ([, name = '']) => name,
  );
  t.deepEqual(sections.toSorted(), names.toSorted());
  for (const { alert, annotations } of rules) {
    t.is(annotations.runbook, `docs/operate/runbook.md#${alert.toLowerCase()}`);
  }
});

test('each section of the runbook says what to look at and what to do', (t) => {
  const [, ...sections] = read('docs/operate/runbook.md').split(/^### /m);
  for (const section of sections) {
    t.regex(section, /^\w+\n\n\S[^]*\n- Look: \S[^]*\n- Do: \S/, section.split('\n')[0]);
  }
});

test('the runbook names commands that exist', (t) => {
  const commands = new Set(
    [...read('docs/reference/cli.md').matchAll(/^## svc (.+)$/gm)].map(([, name]) => name),
  );
  const named = [
    ...read('docs/operate/runbook.md').matchAll(
      /\bsvc ((?:db|execution|audit|memory) [a-z-]+|doctor)/g,
    ),
  ];
  t.true(named.length > 20);
  for (const [, name = ''] of named) t.true(commands.has(name), name);
});

test('each alert is tried, once so that it fires and once so that it does not', (t) => {
  const { tests } = parse(read('deploy/prometheus/alerts.test.yaml')) as {
    readonly tests: readonly { readonly name: string }[];
  };
  t.deepEqual(
    tests.map(({ name }) => name).toSorted(),
    names.flatMap((name) => [`${name} fires`, `${name} does not fire`]).toSorted(),
  );
});

test('both roles are scraped at the ports they serve', (t) => {
  const config = parse(read('deploy/prometheus/prometheus.yaml')) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly {
      readonly job_name: string;
      readonly static_configs: readonly { readonly targets: readonly string[] }[];
    }[];
  };
  t.deepEqual(config.rule_files, ['alerts.yaml']);
  t.deepEqual(
    config.scrape_configs.map(({ job_name: job, static_configs: [first] }) => [
      job,
      first?.targets,
    ]),
    [
      ['svc-api', ['svc-api:9464']],
      ['svc-scheduler', ['svc-scheduler:9465']],
    ],
  );
});
