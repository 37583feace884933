import test from 'ava';

import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { Cluster } from './cluster.ts';

/* The metrics of real processes of both roles, as Prometheus scrapes them. */

const CALL = { kind: 'python_fn', module: 'm', function: 'f' };

let database: TestDatabase;
let cluster: Cluster;

test.before(async () => {
  database = await createTestDatabase('postgres');
  cluster = new Cluster(database.url);
});

test.after.always(async () => {
  await cluster?.stop();
  await database?.drop();
});

test('one of two schedulers reports on the cluster, each process on its own state', async (t) => {
  t.timeout(120_000);
  const apiPort = await freePort();
  const api = await cluster.startApi({ env: { SVC_TELEMETRY_METRICS_PORT: String(apiPort) } });
  const svc = await api.newTenant();
  for (const _ of [1, 2, 3]) await svc.run({ nodes: { a: CALL } });
  const ports = [await freePort(), await freePort()];
  for (const port of ports) await cluster.startScheduler({ port });

  const told = await eventually(async () => {
    const pages = await Promise.all(ports.map(scrape));
    const telling = pages.filter((page) => page.includes('svc_queue_items{'));
    const [page] = telling;
    if (telling.length === 1 && page !== undefined) return page;
    throw new Error(`${telling.length} of them report on the cluster`);
  });
  t.regex(told, /^svc_queue_items\{queue="python_tool"\} 3$/m);
  t.regex(told, /^svc_executions\{status="running"\} 3$/m);
  t.regex(told, /^svc_overdue_seconds\{kind="timer"\} 0$/m);

  const item = await svc.work('a');
  await svc.until(item.execution_id, 'completed');
  const own = await scrape(apiPort);
  t.regex(
    own,
    /^svc_node_duration_seconds_count\{node_id="[^"]+",node_kind="python_fn",outcome="completed"\} 1$/m,
  );
  t.regex(own, /^svc_events_total\{kind="WorkflowStarted"\} 3$/m);
  t.regex(own, /^svc_http_requests_total\{method="POST",route="\/executions",status="201"\} 3$/m);
  t.notRegex(own, /^svc_(?:queue_items|shards_held|under_way)/m);
});

async function scrape(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  return response.text();
}
