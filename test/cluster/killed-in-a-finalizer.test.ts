import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { createTestDatabase, type Dialect } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { freePort } from '../support/servers/ports.ts';
import { startRuntime } from '../support/runtime.ts';
import { makeTenant, type TestTenant } from '../support/tenant.ts';

/*
 * The runtime is killed (SIGKILL) while an execution ends. The finalizer has one visit, whose
 * result is recorded once, and the terminal event follows it once.
 */

interface Scene {
  /** Idempotency keys and bodies of the calls of the finalizer's tool, in order. */
  readonly calls: readonly { readonly key: unknown; readonly body: unknown }[];
  /** The workflow; its step is a wait that the event `go` ends. */
  readonly ir: JsonObject;
  readonly tenant: TestTenant;
  /** Kills the runtime, and starts another on the same database. */
  readonly kill: () => Promise<void>;
}

async function play(
  t: ExecutionContext,
  dialect: Dialect,
  isAnswered: (call: number) => boolean,
): Promise<Scene> {
  const calls: { readonly key: unknown; readonly body: unknown }[] = [];
  const server = await startHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      calls.push({ key: request.headers['idempotency-key'], body });
      if (!isAnswered(calls.length - 1)) return;
      response.setHeader('content-type', 'application/json');
      response.end('{"told": true}');
    });
  });
  t.teardown(() => server.close());
  const database = await createTestDatabase(dialect);
  t.teardown(() => database.drop());
  const settings = {
    databaseUrl: database.url,
    port: await freePort(),
    apiKey: `key-${randomBytes(24).toString('base64url')}`,
    // The lease is short, so that the next process soon takes over the items of the killed one.
    env: { SVC_SCHEDULER_LEASE_SECONDS: '2', SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true' },
  };
  let runtime = await startRuntime(settings);
  t.teardown(() => runtime.end('SIGKILL'));
  return {
    calls,
    ir: {
      tools: { tell: { kind: 'http', method: 'POST', reference: `${server.url}/ended` } },
      nodes: {
        hold: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
        tell: {
          kind: { type: 'finalizer', tool_ref: 'tell' },
          input_mapping: { outcome: { expr: 'execution.outcome' } },
          retry_policy: { max_attempts: 3, initial_delay: 0 },
        },
      },
    },
    tenant: await makeTenant({
      request: (request) => runtime.request(request),
      tenantId: 'acme',
    }),
    kill: async () => {
      await runtime.end('SIGKILL');
      runtime = await startRuntime(settings);
    },
  };
}

function once(t: ExecutionContext, story: readonly string[], line: string): void {
  t.is(story.filter((other) => other === line).length, 1, `${line}: ${story.join()}`);
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: killed before its tool has answered, it is called again under its key`, async (t) => {
    const scene = await play(t, dialect, (call) => call > 0);
    const id = await scene.tenant.run(scene.ir);
    await scene.tenant.deliver(id, 'go');
    await eventually(() => {
      if (scene.calls.length === 0) throw new Error('the tool was not called');
    });
    await scene.kill();
    await scene.tenant.until(id, 'completed');
    t.deepEqual(
      scene.calls.map(({ body }) => body),
      [{ outcome: 'completed' }, { outcome: 'completed' }],
    );
    t.is(new Set(scene.calls.map(({ key }) => key)).size, 1);
    const story = await scene.tenant.story(id);
    for (const line of ['NodeScheduled tell', 'NodeCompleted tell', 'WorkflowCompleted']) {
      once(t, story, line);
    }
    t.is(story.at(-1), 'WorkflowCompleted');
  });

  test(`${dialect}: the finalizer still runs after a kill that follows the reply to a cancel`, async (t) => {
    const scene = await play(t, dialect, () => true);
    const id = await scene.tenant.run(scene.ir);
    await scene.tenant.until(id, 'paused');
    t.is((await scene.tenant.cancel(id)).status, 200);
    await scene.kill();
    await scene.tenant.until(id, 'cancelled');
    t.is(new Set(scene.calls.map(({ key }) => key)).size, 1);
    t.true(scene.calls.length <= 2);
    t.deepEqual(scene.calls[0]?.body, { outcome: 'cancelled' });
    const story = await scene.tenant.story(id);
    for (const line of ['WorkflowEnding', 'NodeCompleted tell', 'WorkflowCancelled']) {
      once(t, story, line);
    }
  });
}
