import { randomBytes } from 'node:crypto';
import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/ports.ts';
import { startRuntime } from '../support/runtime.ts';
import { TestTenant } from '../support/tenant.ts';

/*
 * The runtime is killed (SIGKILL) while it holds the executions of a paused workflow, and again while it
 * gives them back: the next one goes on, and each is held once and given back once.
 */

const EXECUTIONS = 1_500;
const AT_ONCE = 50;
const WORKFLOW = 'checkout';
const IR = {
  workflow_id: WORKFLOW,
  nodes: { a: { kind: 'python_fn', module: 'm', function: 'f' } },
};

interface Pause {
  readonly state: string;
  readonly held: number;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a scheduler that is killed over a pause is taken over from`, async (t) => {
    const database = await createTestDatabase(dialect);
    t.teardown(() => database.drop());
    const settings = {
      databaseUrl: database.url,
      port: await freePort(),
      apiKey: `key-${randomBytes(24).toString('base64url')}`,
    };
    let runtime = await startRuntime(settings);
    t.teardown(() => runtime.end('SIGKILL'));
    const svc = new TestTenant({ request: (of) => runtime.request(of), tenantId: 'acme' });
    const kill = async () => {
      await runtime.end('SIGKILL');
      runtime = await startRuntime(settings);
    };
    const pauseOf = async () =>
      (await svc.get<{ pause: Pause | null }>(`/workflows/${WORKFLOW}`)).body.pause;
    /** Kills it when some are held, and some are not. */
    const killMidway = async () => {
      for (;;) {
        const { held = 0 } = (await pauseOf()) ?? {};
        if (held > 0 && held < EXECUTIONS) break;
      }
      await kill();
    };

    await svc.register(IR);
    const ids: string[] = [];
    while (ids.length < EXECUTIONS) {
      const more = Array.from({ length: AT_ONCE }, () => svc.start(WORKFLOW));
      ids.push(...(await Promise.all(more)));
    }
    await svc.post(`/workflows/${WORKFLOW}/pause`, { reason: 'the provider is down' });
    await killMidway();
    await eventually(async () => {
      const pause = await pauseOf();
      if (pause?.state !== 'paused') throw new Error(`it is ${JSON.stringify(pause)}`);
    });
    t.like(await pauseOf(), { held: EXECUTIONS });
    t.deepEqual(await svc.tryClaim(), { claimed: false });

    await svc.post(`/workflows/${WORKFLOW}/resume`);
    await killMidway();
    await eventually(async () => {
      if ((await pauseOf()) !== null) throw new Error('it is being resumed');
    });
    const story = ['WorkflowStarted', 'NodeScheduled a', 'ExecutionPaused', 'ExecutionResumed'];
    for (const id of ids.filter((_, index) => index % 50 === 0)) {
      t.deepEqual(await svc.story(id), story);
    }
    const claimed = new Set<string>();
    for (;;) {
      const answer = await svc.tryClaim({ max_items: 100 });
      const items = answer.work_items ?? [];
      if (items.length === 0) break;
      for (const item of items) claimed.add(item.execution_id);
    }
    t.is(claimed.size, EXECUTIONS);
    t.deepEqual(runtime.errors(), []);
  });
}
