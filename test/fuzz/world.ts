import type { JsonObject } from '../../src/shared/domain/json.ts';
import { readFileSync, readdirSync } from 'node:fs';

import { eventually } from '../support/eventually.ts';
import type { Runtime } from '../support/runtime.ts';
import { expectStatus, makeTenant, type TestTenant } from '../support/tenant.ts';
import type { DeadLetter, WorkItem } from '../support/wire.ts';

/** The ids of a tenant's objects: some of each kind that routes name. */
export interface World {
  readonly tenantId: string;
  /** A tenant without work, whose status requests may change. */
  readonly spareTenantId: string;
  readonly executions: readonly string[];
  /** Executions that wait for an approval. */
  readonly approving: readonly string[];
  /** Executions that wait for the event `paid`. */
  readonly waiting: readonly string[];
  /** Items that `WORKER_ID` has leased. */
  readonly items: readonly WorkItem[];
  /** Items of durable functions that `WORKER_ID` has leased. */
  readonly turns: readonly WorkItem[];
  readonly deadItems: readonly string[];
  readonly agents: readonly string[];
  readonly webhooks: readonly string[];
  readonly schedules: readonly string[];
  readonly tokens: readonly string[];
  readonly artifacts: readonly string[];
  readonly facts: readonly string[];
  /** A task of the workflow that other agents can use. */
  readonly task: string;
  readonly cursor: string;
  /** The token of a viewer. */
  readonly viewer: string;
}

export const WORKER_ID = 'fuzz-worker';
export const TOOLING = 'tooling';
/** This workflow has no executions, so requests may pause it. */
export const IDLE = 'idle';
export const EXPOSED = 'exposed';
const COPIES = 6;

/** Creates and fills a tenant over HTTP; `name` separates the worlds in one database. */
export async function fillWorld(runtime: Runtime, name: string): Promise<World> {
  const tenantId = `fuzz-${name}`;
  const request: Runtime['request'] = (options) => runtime.request(options);
  const tenant = await makeTenant({ request, tenantId });
  const spareTenantId = `${tenantId}-spare`;
  await makeTenant({ request, tenantId: spareTenantId });
  for (const ir of Object.values(WORKFLOWS)) await tenant.register(ir);
  const times = <Made>(make: (index: number) => Promise<Made>, count = COPIES) =>
    inOrder(
      Array.from({ length: count }, (_, index) => index),
      make,
    );

  const approving = await times(() => tenant.start('approving', { a: 1 }));
  const waiting = await times(() => tenant.start('waiting'));
  const dying = await times(() => tenant.start('dying'));
  // A failure without a fence leaves the execution live, so that the item can be requeued.
  for (const _ of dying) await tenant.fail(await tenant.claim(), { lease_fence: null });
  const deadItems = await eventually(() => readDeadItems(tenant, dying.length));
  const tooling = await times(() => tenant.start(TOOLING, { n: 1 }));
  const items = await times(() => tenant.claim({ worker_id: WORKER_ID }));
  const serving = await times(() => tenant.start('serving'));
  const turns = await times(() =>
    tenant.claim({ worker_id: WORKER_ID, queue_types: ['function'] }),
  );
  const done = await times(() => tenant.start('passing'), 3);
  for (const id of done) await tenant.until(id, 'completed');
  for (const id of [...approving, ...waiting]) await tenant.until(id, 'paused');
  await tenant.post('/v1/memory/settings', { provider: 'openai', api_key: 'sk-fuzz' });
  const list = await tenant.get<{ next_cursor: string }>('/executions?limit=1');
  const viewer = await tenant.post<{ token: string }>('/tokens', { name: 'eye', role: 'viewer' });
  return {
    tenantId,
    spareTenantId,
    executions: [...tooling, ...serving, ...done],
    approving,
    waiting,
    items,
    turns,
    deadItems,
    agents: await times((n) =>
      made(tenant, '/agents', { id: `agent-${n}`, name: 'A' }, 'agent_id'),
    ),
    webhooks: await times(() => made(tenant, '/webhooks', QUIET_HOOK, 'webhook_id')),
    schedules: await times((n) =>
      made(tenant, '/schedules', { ...QUIET_SCHEDULE, name: `s-${n}` }, 'schedule_id'),
    ),
    tokens: await times((n) =>
      made(tenant, '/tokens', { name: `t${n}`, role: 'viewer' }, 'token_id'),
    ),
    artifacts: await times((n) => made(tenant, '/artifacts', { content: n }, 'hash'), 2),
    facts: await times((n) => made(tenant, '/v1/memory/add', { content: `fact ${n}` }, 'id')),
    task: await tenant.start(EXPOSED),
    cursor: expectStatus(list, 200).next_cursor,
    viewer: expectStatus(viewer, 201).token,
  };
}

/** A webhook for an event that never occurs here, so that it causes no background work. */
const QUIET_HOOK = { url: 'https://hook.invalid/', event_types: ['work_item.dead_lettered'] };
const QUIET_SCHEDULE = { workflow_id: TOOLING, cron_expression: '0 0 1 1 *' };

async function readDeadItems(tenant: TestTenant, count: number): Promise<readonly string[]> {
  const reply = await tenant.get<{ work_items: readonly DeadLetter[] }>(
    '/work-items?status=dead_lettered',
  );
  const found = expectStatus(reply, 200).work_items;
  if (found.length < count) throw new Error(`${found.length} of ${count} items are dead`);
  return found.map(({ id }) => id);
}

async function made(
  tenant: TestTenant,
  path: string,
  body: JsonObject,
  field: string,
): Promise<string> {
  const reply = await tenant.post<Readonly<Record<string, string>>>(path, body);
  const id = expectStatus(reply, reply.status === 200 ? 200 : 201)[field];
  if (id === undefined) throw new Error(`${path} answered no ${field}`);
  return id;
}

async function inOrder<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  const all: Made[] = [];
  for (const item of items) all.push(await make(item));
  return all;
}

/** No retry becomes due during a round. */
const LATER = { max_attempts: 9, backoff: 'fixed', initial_delay: 3_600, max_delay: 3_600 };
const python = { type: 'python_fn', module: 'shop', function: 'reserve' };
const WORKFLOWS: Readonly<Record<string, JsonObject>> = {
  tooling: {
    workflow_id: TOOLING,
    nodes: { reserve: { kind: python, retry_policy: LATER, node_timeout_secs: 86_400 } },
  },
  serving: {
    workflow_id: 'serving',
    nodes: { run: { kind: { type: 'function', name: 'fuzzed' }, retry_policy: LATER } },
  },
  dying: { workflow_id: 'dying', nodes: { a: { kind: python, retry_policy: 'no_retry' } } },
  idle: { workflow_id: IDLE, nodes: {} },
  passing: { workflow_id: 'passing', nodes: { a: { kind: 'pass' } } },
  approving: {
    workflow_id: 'approving',
    nodes: { sign: { kind: { type: 'human_approval', description: 'Sign it?' } } },
  },
  waiting: {
    workflow_id: 'waiting',
    nodes: {
      pay: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'paid' } },
    },
  },
  exposed: { workflow_id: EXPOSED, expose: { a2a: true }, nodes: { a: { kind: 'pass' } } },
};

const EXAMPLES = new URL('../../examples/workflows/', import.meta.url);

/** Workflow documents that together use every kind of node. */
export const EXAMPLE_WORKFLOWS: readonly JsonObject[] = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .map((name) => readExample(name));

function readExample(name: string): JsonObject {
  const read = JSON.parse(readFileSync(new URL(name, EXAMPLES), 'utf8')) as JsonObject;
  return (read['ir'] as JsonObject | undefined) ?? read;
}
