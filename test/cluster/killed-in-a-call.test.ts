import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/servers/ports.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';
import { makeTenant, type TestTenant } from '../support/tenant.ts';
import { startOutsides, type Hold, type Outside } from './outside.ts';

/*
 * The runtime is killed (SIGKILL) around a call to an outside system, for each kind of node that
 * makes one. A recorded call is never repeated. A call without a recorded result is repeated under
 * the same key.
 */

/** The next process soon takes over the items of the killed one. */
const SHORT_LEASE_SECONDS = 2;
/** No lease lapses, even on a slow machine, so a second call means that none was recorded. */
const LONG_LEASE_SECONDS = 60;

interface Scene {
  readonly outsides: readonly Outside[];
  /** Ids of the executions, in the order of `outsides`. */
  readonly ids: readonly string[];
  readonly tenant: TestTenant;
  /** Kills the runtime, and starts another on the same database. */
  readonly kill: () => Promise<void>;
}

async function play(
  t: ExecutionContext,
  dialect: Dialect,
  hold: Hold,
  leaseSeconds = SHORT_LEASE_SECONDS,
): Promise<Scene> {
  const outsides = await startOutsides(hold);
  t.teardown(() => Promise.all(outsides.map((outside) => outside.close())));
  const database = await createTestDatabase(dialect);
  t.teardown(() => database.drop());
  const settings = {
    databaseUrl: database.url,
    port: await freePort(),
    apiKey: `key-${randomBytes(24).toString('base64url')}`,
    env: Object.assign(
      { SVC_SCHEDULER_LEASE_SECONDS: String(leaseSeconds) },
      ...outsides.map(({ env }) => env),
    ) as Record<string, string>,
  };
  let runtime: Runtime = await startRuntime(settings);
  t.teardown(() => runtime.end('SIGKILL'));
  const tenant = await makeTenant({
    request: (request) => runtime.request(request),
    tenantId: 'acme',
  });
  const ids = await Promise.all(
    outsides.map((outside) => tenant.run(workflowOf(outside), { amount: 5 })),
  );
  const kill = async () => {
    await runtime.end('SIGKILL');
    runtime = await startRuntime(settings);
  };
  return { outsides, ids, tenant, kill };
}

function workflowOf({ kind, node, parts }: Outside): JsonObject {
  const retry_policy = { max_attempts: 3, initial_delay: 0 };
  return {
    workflow_id: kind,
    ...parts,
    nodes: {
      call: { kind: node, retry_policy, output_key: 'result' },
      go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
    },
    edges: [{ from: 'call', to: 'go' }],
  };
}

async function untilCalled({ outsides }: Scene): Promise<void> {
  await eventually(() => {
    const missing = outsides.filter(({ calls }) => calls.length === 0);
    if (missing.length > 0)
      throw new Error(`not called: ${missing.map(({ kind }) => kind).join()}`);
  });
}

/** Lets all executions continue to their end, and checks their recorded results. */
async function finish(t: ExecutionContext, { outsides, ids, tenant }: Scene): Promise<void> {
  await Promise.all(ids.map((id) => tenant.deliver(id, 'go')));
  for (const [index, id] of ids.entries()) {
    const { kind, calls } = outsides[index] as Outside;
    const { state } = await tenant.until(id, 'completed');
    t.true('result' in state, kind);
    const story = await tenant.story(id);
    t.is(
      story.filter((line) => line === 'NodeCompleted call').length,
      1,
      `${kind}: ${story.join()}`,
    );
    t.is(new Set(calls).size, 1, `${kind} was called under ${calls.join()}`);
    t.regex(calls[0] ?? '', /^[0-9a-f]{64}$/, kind);
  }
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: killed before the answer of a call, it is made again under its key`, async (t) => {
    const scene = await play(t, dialect, (call) =>
      call === 0 ? new Promise(() => undefined) : Promise.resolve(),
    );
    await untilCalled(scene);
    await scene.kill();
    await finish(t, scene);
    for (const { kind, calls } of scene.outsides) t.is(calls.length, 2, kind);
  });

  test(`${dialect}: killed at any moment after it was started, an execution makes its call`, async (t) => {
    const scene = await play(t, dialect, () => Promise.resolve());
    await scene.kill();
    await finish(t, scene);
    for (const { kind, calls } of scene.outsides) t.true(calls.length <= 2, kind);
  });

  test(`${dialect}: killed once a result is recorded, the call is not made again`, async (t) => {
    const scene = await play(t, dialect, () => Promise.resolve(), LONG_LEASE_SECONDS);
    await Promise.all(scene.ids.map((id) => scene.tenant.untilEvent(id, 'NodeCompleted', 'call')));
    await scene.kill();
    await finish(t, scene);
    for (const { kind, calls } of scene.outsides) t.is(calls.length, 1, kind);
  });
}
