import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Interface document: "Workers". */

const check = onBothStores();
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const call = { kind: 'python_fn', module: 'm', function: 'f' };

interface Worker {
  readonly worker_id: string;
  readonly kind: string;
  readonly role: string | null;
  readonly queue_types: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly started_at: string;
  readonly last_heartbeat: string;
  readonly active_items: number;
}

check('200: the process that runs executions is listed', async (t, svc, { runtime }) => {
  const [process] = await eventually(() => workers(svc, (worker) => worker.kind === 'runtime'));
  const { worker_id, started_at, last_heartbeat, host, version, ...rest } = process;
  t.true(worker_id.includes(String(runtime.pid)));
  for (const time of [started_at, last_heartbeat]) t.regex(time, TIMESTAMP);
  t.true(host !== '' && version !== '');
  t.deepEqual(rest, { kind: 'runtime', role: 'all', queue_types: ['engine'], active_items: 0 });
});

check('200: a tool worker is listed from its first claim on', async (t, svc) => {
  await svc.tryClaim({
    worker_id: 'crane-7',
    queue_types: ['java_tool', 'gpu_tool'],
    host: 'yard.example',
    version: '2.1',
  });
  const [worker] = await eventually(() => workers(svc, (found) => found.kind === 'tool'));
  const { started_at, last_heartbeat, ...rest } = worker;
  for (const time of [started_at, last_heartbeat]) t.regex(time, TIMESTAMP);
  t.deepEqual(rest, {
    worker_id: 'crane-7',
    kind: 'tool',
    role: null,
    queue_types: ['java_tool'],
    tools: null,
    queues: ['default'],
    build_ids: [],
    version: '2.1',
    host: 'yard.example',
    active_items: 0,
  });
});

check('200: the items a worker holds are counted', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: call } });
  for (let count = 0; count < 3; count++) await svc.start(workflowId);
  const claimed = await svc.tryClaim({ worker_id: 'busy', max_items: 2 });
  const active = async () => {
    const [worker] = await eventually(() => workers(svc, (found) => found.worker_id === 'busy'));
    return worker.active_items;
  };
  t.is(await active(), 2);
  for (const item of claimed.work_items ?? []) expectStatus(await svc.complete(item), 200);
  t.is(await active(), 0);
});

check('200: tool workers of one tenant are not shown to another', async (t, svc, { runtime }) => {
  const other = await runtime.newTenant();
  await svc.tryClaim({ worker_id: 'mine' });
  await other.tryClaim({ worker_id: 'mine' });
  await eventually(() => workers(svc, (worker) => worker.kind === 'tool'));
  await eventually(() => workers(other, (worker) => worker.kind === 'tool'));
  const stranger = await runtime.newTenant();
  const listed = expectStatus(await stranger.get<{ workers: Worker[] }>('/workers'), 200).workers;
  t.deepEqual(
    listed.filter(({ kind }) => kind === 'tool'),
    [],
  );
});

async function workers(
  svc: TestTenant,
  wanted: (worker: Worker) => boolean,
): Promise<readonly [Worker, ...Worker[]]> {
  const { workers: all } = expectStatus(await svc.get<{ workers: Worker[] }>('/workers'), 200);
  const [first, ...others] = all.filter(wanted);
  if (first === undefined) throw new Error(`not among ${JSON.stringify(all)}`);
  return [first, ...others];
}
