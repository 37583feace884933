import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startRuntime } from '../support/runtime.ts';
import { makeTenant, type TestTenant } from '../support/tenant.ts';

/* Starts of one key at three processes at once, on PostgreSQL. */

const GO = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };
const LIMIT = 5;
const STARTS = 60;

test('three processes start as many executions of a key as may run, and refuse the others', async (t) => {
  const { svc, tenants, errors } = await openProcesses(t);
  const id = await svc.register({
    workflow_id: 'imports',
    concurrency: { limit: LIMIT, when_full: 'refuse' },
    nodes: { go: GO },
  });
  const body = { workflow_id: id, input: {} };
  for (let round = 0; round < 3; round += 1) {
    const answers = await startEverywhere(tenants, body);
    const started = answers.flatMap(({ status, id: executionId }) =>
      status === 201 ? [executionId] : [],
    );
    t.is(started.length, LIMIT);
    t.is(answers.filter(({ status }) => status === 409).length, STARTS - LIMIT);
    await Promise.all(started.map((executionId) => svc.cancel(executionId)));
  }
  t.deepEqual(errors(), []);
});

test('three processes leave the newest executions of a key, and cancel the others', async (t) => {
  const { svc, tenants, errors } = await openProcesses(t);
  const id = await svc.register({
    workflow_id: 'builds',
    concurrency: { limit: LIMIT, when_full: 'cancel_oldest' },
    nodes: { go: GO },
  });
  const answers = await startEverywhere(tenants, { workflow_id: id, input: {} });
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  await eventually(async () => {
    const counts = await Promise.all(['paused', 'cancelled'].map((of) => count(svc, id, of)));
    if (counts[0] !== LIMIT || counts[1] !== STARTS - LIMIT) throw new Error(counts.join());
  });
  const last = await svc.start(id);
  await svc.until(last, 'paused');
  t.is(await count(svc, id, 'paused'), LIMIT);
  t.deepEqual(errors(), []);
});

async function openProcesses(t: ExecutionContext) {
  const database = await createTestDatabase('postgres');
  t.teardown(() => database.drop());
  const first = await startRuntime({ databaseUrl: database.url });
  const others = await Promise.all(
    [1, 2].map(() => startRuntime({ databaseUrl: database.url, apiKey: first.apiKey })),
  );
  const runtimes = [first, ...others];
  t.teardown(() => Promise.all(runtimes.map((runtime) => runtime.end('SIGTERM'))));
  const tenantId = 'acme';
  const open = (runtime: typeof first) =>
    makeTenant({ request: (request) => runtime.request(request), tenantId });
  const svc = await open(first);
  const tenants = [svc, ...(await Promise.all(others.map(open)))];
  return { svc, tenants, errors: () => runtimes.flatMap((runtime) => runtime.errors()) };
}

function startEverywhere(tenants: readonly TestTenant[], body: JsonObject) {
  return Promise.all(
    Array.from({ length: STARTS }, async (_, index) => {
      const tenant = tenants[index % tenants.length];
      const answer = await tenant?.post<{ readonly execution_id?: string }>('/executions', body);
      return { status: answer?.status, id: answer?.body.execution_id ?? '' };
    }),
  );
}

async function count(svc: TestTenant, workflowId: string, status: string): Promise<number> {
  const path = `/executions/counts?workflow_id=${workflowId}&status=${status}`;
  return (await svc.get<{ readonly total: number }>(path)).body.total;
}
