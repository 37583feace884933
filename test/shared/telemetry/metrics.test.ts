import test from 'ava';
import { METRICS } from '../../../src/shared/telemetry/metric-list.ts';
import type { MetricSpec } from '../../../src/shared/telemetry/metric-list.ts';
import { createMetrics } from '../../../src/shared/telemetry/metrics.ts';

test('every metric keeps to the conventions', (t) => {
  const specs: readonly MetricSpec[] = Object.values(METRICS);
  for (const spec of specs) {
    t.regex(spec.name, /^svc_[a-z][a-z0-9_]*[a-z]$/);
    t.is(spec.name.endsWith('_total'), spec.type === 'counter', spec.name);
    t.is(spec.buckets !== undefined, spec.type === 'histogram', spec.name);
    t.deepEqual(
      spec.buckets,
      spec.buckets?.toSorted((a, b) => a - b),
    );
    t.regex(spec.help, /\.$/);
  }
  t.is(new Set(specs.map((spec) => spec.name)).size, specs.length);
});

test('reports of the engine, the API and the loops can be scraped', async (t) => {
  const { metrics } = create();
  metrics.report.count('items_claimed', 3);
  metrics.report.count('commit_refusals', 2, { reason: 'moved' });
  metrics.report.observe('commit_batch_plans', 7);
  metrics.onRequest({ method: 'GET', route: '/executions/:id', status: 200, seconds: 0.004 });
  metrics.onRequest({ method: 'GET', route: null, status: 404, seconds: 0.001 });
  metrics.onLoopRound({ loop: 'fire-timers', found: 2, seconds: 0.01, ok: true });
  metrics.onLoopRound({ loop: 'prune', found: 0, seconds: 0.01, ok: false });
  const text = await metrics.registry.metrics();
  for (const line of [
    'svc_work_items_claimed_total 3',
    'svc_commit_refusals_total{reason="moved"} 2',
    'svc_commit_batch_plans_bucket{le="10"} 1',
    'svc_http_requests_total{method="GET",route="/executions/:id",status="200"} 1',
    'svc_http_requests_total{method="GET",route="unmatched",status="404"} 1',
    'svc_loop_found_total{loop="fire-timers"} 2',
    'svc_loop_rounds_total{loop="prune",outcome="error"} 1',
    'svc_loop_last_success_timestamp_seconds{loop="fire-timers"} 1700000000',
    `svc_build_info{version="1.2.3",role="scheduler",node_version="${process.version}"} 1`,
  ]) {
    t.true(text.includes(line), line);
  }
  t.regex(text, /^svc_event_loop_active_seconds_total [0-9.]+$/m);
  t.regex(text, /^svc_event_loop_delay_p99_seconds [0-9.]+$/m);
  t.regex(text, /^process_cpu_seconds_total /m);
  t.notRegex(text, /last_success_timestamp_seconds\{loop="prune"\}/);
});

test('labels outside the list are dropped, and a flood of values ends in `other`', async (t) => {
  const { metrics } = create();
  for (let index = 0; index < 1000; index++) {
    const labels = { reason: `r${index}`, execution_id: `exec_${index}` };
    metrics.report.count('commit_refusals', 1, labels);
  }
  const text = await metrics.registry.metrics();
  t.notRegex(text, /exec_/);
  t.is(text.match(/svc_commit_refusals_total\{/g)?.length, 101);
  t.true(text.includes('svc_commit_refusals_total{reason="other"} 900'));
});

test('a gauge is read at the scrape, and a reader that throws costs only its own values', async (t) => {
  const { metrics } = create();
  let waiting = 4;
  metrics.readGauge('database_connections', () => [
    { value: waiting, labels: { state: 'waiting' } },
  ]);
  metrics.readGauge('shards_held', () => {
    throw new Error('closed');
  });
  t.true(
    (await metrics.registry.metrics()).includes('svc_database_connections{state="waiting"} 4'),
  );
  waiting = 9;
  t.true(
    (await metrics.registry.metrics()).includes('svc_database_connections{state="waiting"} 9'),
  );
});

test('a gauge whose reading is gone is gone, not what it was', async (t) => {
  const { metrics } = create();
  const tells = { is: true };
  const scrape = () => metrics.registry.metrics();
  t.notRegex(await scrape(), /^svc_(shards_held|queue_items|memory_index_bytes)\b/m);
  metrics.readGauge('shards_held', () => (tells.is ? [{ value: 64 }] : []));
  metrics.readGauge('queue_items', () =>
    tells.is ? [{ value: 3, labels: { queue: 'engine' } }] : [],
  );
  t.regex(await scrape(), /^svc_shards_held 64$/m);
  t.regex(await scrape(), /^svc_queue_items\{queue="engine"\} 3$/m);
  tells.is = false;
  t.notRegex(await scrape(), /^svc_(shards_held|queue_items)\b/m);
});

test('the names of the process keep to the conventions too', async (t) => {
  const { metrics } = create();
  for (const { name, type } of await metrics.registry.getMetricsAsJSON()) {
    t.is(name.endsWith('_total'), String(type) === 'counter', `${name} is a ${type}`);
  }
});

test('the event loop is reported as busy while it is', async (t) => {
  const { metrics } = create();
  const active = async () =>
    Number(
      /^svc_event_loop_active_seconds_total (\S+)$/m.exec(await metrics.registry.metrics())?.[1],
    );
  const before = await active();
  const until = performance.now() + 50;
  while (performance.now() < until);
  t.true((await active()) - before >= 0.04);
});

test('a trouble is counted and logged once, with its ids', async (t) => {
  const { metrics, logged } = create();
  const error = new Error('unexpected');
  metrics.report.trouble('decision failed', error, { execution_id: 'exec_1' });
  t.deepEqual(logged, [
    { fields: { execution_id: 'exec_1', err: error }, message: 'decision failed' },
  ]);
  t.true(
    (await metrics.registry.metrics()).includes('svc_troubles_total{what="decision failed"} 1'),
  );
});

function create() {
  const logged: { fields: unknown; message: string }[] = [];
  const metrics = createMetrics({
    version: '1.2.3',
    role: 'scheduler',
    log: { error: (fields, message) => void logged.push({ fields, message }) },
    now: () => 1_700_000_000_000,
  });
  return { metrics, logged };
}
