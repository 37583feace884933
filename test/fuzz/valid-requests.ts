import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import { isJsonObject } from '../../src/shared/domain/json.ts';
import type { Dice } from '../simulation/dice.ts';
import { makeExport } from '../support/imports.ts';
import type { Draft } from './draft.ts';
import { drawJson, drawValue } from './draw-value.ts';
import type { FuzzOperation } from './operations.ts';
import { EXAMPLE_WORKFLOWS, EXPOSED, IDLE, TOOLING, WORKER_ID, type World } from './world.ts';

/** Facts that a schema cannot express: existing ids, and values that belong together. */
interface Recipe {
  /** The values of the path parameters, in order. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** Members that replace the drawn ones; undefined removes a member. */
  readonly body?: Readonly<Record<string, JsonValue | undefined>>;
}

/** Draws a request that should succeed. `n` is its number in the run, for unique names. */
export function drawValidRequest(params: {
  readonly dice: Dice;
  readonly operation: FuzzOperation;
  readonly world: World;
  readonly token: string;
  readonly n: number;
}): Draft {
  const { dice, operation, world, token, n } = params;
  const recipe = RECIPES[operation.name]?.(world, dice, n) ?? {};
  const values = [...(recipe.path ?? [])];
  const path = operation.path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent(values.shift() ?? 'nothing'),
  );
  const headers: [string, string][] = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${token}`],
    ['X-Tenant-Id', world.tenantId],
  ];
  const draft = {
    operation,
    method: operation.method,
    path,
    query: drawQuery({ dice, operation, recipe }),
  };
  if (operation.uploads) {
    const bytes = Buffer.from(dice.bytes(dice.pick([0, 1, 100, 70_000])));
    return {
      ...draft,
      headers: [...headers, ['Content-Type', 'application/octet-stream']],
      body: { is: 'bytes', bytes },
    };
  }
  if (operation.body === null) return { ...draft, headers, body: { is: 'none' } };
  const drawn = drawValue(dice, operation.body);
  const value = withMembers(isJsonObject(drawn) ? drawn : {}, recipe.body ?? {});
  const accepts: [string, string][] =
    operation.protocol === 'json-rpc' ? [['Accept', 'application/json, text/event-stream']] : [];
  return {
    ...draft,
    headers: [...headers, ...accepts, ['Content-Type', 'application/json']],
    body: { is: 'json', value },
  };
}

function drawQuery(given: {
  readonly dice: Dice;
  readonly operation: FuzzOperation;
  readonly recipe: Recipe;
}): Draft['query'] {
  const { dice, operation, recipe } = given;
  const drawn = operation.parameters
    .filter(({ in: place, name, required, schema }) => {
      const isPlain = schema['type'] !== 'string' || schema['enum'] !== undefined;
      return place === 'query' && (required || (isPlain && dice.chance(0.4) && name !== 'wait_ms'));
    })
    .map(({ name, schema }): [string, string] => {
      const value = drawValue(dice, schema);
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    });
  const all = { ...Object.fromEntries(drawn), ...recipe.query };
  return Object.entries(all).map(([name, value]) => [name, encodeURIComponent(value)]);
}

function withMembers(drawn: JsonObject, members: NonNullable<Recipe['body']>): JsonObject {
  const all = Object.entries({ ...drawn, ...members });
  return Object.fromEntries(
    all.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}

/** The objects that requests may end, so that the others remain for the rest of the round. */
function doomed<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(items.length / 2);
}

function living<Item>(items: readonly Item[]): readonly Item[] {
  return items.slice(0, items.length / 2);
}

type MakeRecipe = (world: World, dice: Dice, n: number) => Recipe;

const execution: MakeRecipe = ({ executions, approving }, dice) => ({
  path: [dice.pick([...executions, ...approving])],
});
const agent: MakeRecipe = ({ agents }, dice) => ({ path: [dice.pick(agents)] });
const schedule: MakeRecipe = ({ schedules }, dice) => ({ path: [dice.pick(living(schedules))] });
const doomedSchedule: MakeRecipe = ({ schedules }, dice) => ({
  path: [dice.pick(doomed(schedules))],
});
/** Every execution has a first event. */
const atFirst: MakeRecipe = (world, dice, n) => ({
  ...execution(world, dice, n),
  query: { sequence: '1' },
});
const exposed: MakeRecipe = () => ({ path: [EXPOSED] });

const CRONS = ['0 0 1 1 *', '@yearly', '0 30 4 29 2 *', '15 3 * * MON-FRI', '0 0 L * *'];
const timing = (dice: Dice): JsonObject =>
  dice.chance(0.7)
    ? {
        cron_expression: dice.pick(CRONS),
        every: null,
        timezone: dice.pick(['UTC', 'Europe/Zurich']),
      }
    : { every: dice.pick(['30d', '365d']), cron_expression: null, timezone: null };
const newSchedule: MakeRecipe = (_, dice, n) => ({
  body: {
    ...timing(dice),
    name: `schedule-${n}`,
    workflow_id: TOOLING,
    workflow_version: undefined,
  },
});
const changedSchedule: MakeRecipe = ({ schedules }, dice) => ({
  path: [dice.pick(living(schedules))],
  body: {
    ...timing(dice),
    name: undefined,
    workflow_id: TOOLING,
    workflow_version: undefined,
    revision: undefined,
  },
});

/** The first import creates the execution, and later ones find it. */
const EXPORTS = [1, 2, 3].map((n) =>
  makeExport({
    executionId: `exec_0198c0de00007000a00000000000010${n}`,
    definitionId: '0198c0de-0000-7000-a000-000000000100',
  }),
);

/** The webhooks here get no messages. */
const NO_MESSAGE = 'msg_0198c0de-0000-7000-a000-000000000200';

/** Recipes by operation; for the others the schema is enough. */
const RECIPES: Readonly<Record<string, MakeRecipe>> = {
  'POST /workflows': (_, dice) => ({ body: { ir: dice.pick(EXAMPLE_WORKFLOWS) } }),
  'POST /workflows/validate': (_, dice) => ({
    body: { ir: dice.pick(EXAMPLE_WORKFLOWS), text: undefined, format: undefined },
  }),
  'POST /workflows/simulate': () => ({
    body: { ir: { workflow_id: IDLE }, input: undefined, samples: undefined },
  }),
  'GET /workflows/{id}': () => ({ path: [TOOLING] }),
  'POST /workflows/{id}/pause': () => ({ path: [IDLE] }),
  'POST /workflows/{id}/resume': () => ({ path: [IDLE] }),
  'POST /executions': (_, dice) => ({
    body: {
      workflow_id: TOOLING,
      workflow_version: undefined,
      input: { drawn: drawJson(dice) },
      start_after: dice.pick([undefined, null, 0, '10ms', '2026-11-21T10:14:00Z']),
      start_deadline: dice.pick([undefined, null, 60, '1h']),
      concurrency: dice.pick([undefined, null, { key: "'drawn'", limit: 2 }]),
      rate: dice.pick([undefined, null, { limit: 9, per: '1s' }]),
      debounce: dice.pick([undefined, null, { wait: '10ms' }]),
      batch: undefined,
      fairness: dice.pick([undefined, null, { key: "'drawn'", weight: 2 }]),
    },
  }),
  'POST /executions/batch': (_, dice, n) => ({
    body: {
      executions: Array.from({ length: dice.between(1, 3) }, (__, index) => ({
        workflow_id: TOOLING,
        input: { drawn: drawJson(dice) },
        idempotency_key: dice.pick([null, `batch-${n}-${index}`]),
      })),
    },
  }),
  'GET /executions': ({ cursor }, dice) => ({
    query: dice.pick<Readonly<Record<string, string>>>([
      { cursor, limit: '3', offset: '0' },
      { created_after: '2026-01-01' },
      { q: drawQueryOf(dice), limit: '3', offset: '0' },
    ]),
  }),
  'GET /executions/counts': (_, dice) => ({
    query: dice.chance(0.5) ? { q: drawQueryOf(dice) } : { created_after: '2026-01-01' },
  }),
  'GET /executions/{id}': execution,
  'GET /executions/{id}/explain': execution,
  'GET /executions/{id}/result': execution,
  'GET /executions/{id}/events': execution,
  'GET /executions/{id}/state': atFirst,
  'GET /executions/{id}/state/diff': (world, dice, n) => ({
    ...execution(world, dice, n),
    query: { from: '0', to: '1' },
  }),
  'GET /executions/{id}/state/blame': atFirst,
  'GET /executions/{id}/timeline': execution,
  'GET /executions/{id}/export': execution,
  'GET /executions/{id}/approvals': execution,
  'GET /executions/{id}/forks': execution,
  'POST /executions/{id}/cancel': ({ waiting }, dice) => ({
    path: [dice.pick(doomed(waiting))],
  }),
  'POST /executions/{id}/pause': ({ waiting }, dice) => ({
    path: [dice.pick(living(waiting))],
  }),
  'POST /executions/{id}/resume': ({ waiting }, dice) => ({
    path: [dice.pick(living(waiting))],
  }),
  'POST /executions/{id}/build': ({ waiting }, dice) => ({
    path: [dice.pick(living(waiting))],
  }),
  'POST /executions/{id}/retry': ({ waiting }, dice) => ({
    path: [dice.pick(doomed(waiting))],
    body: { state_patch: { drawn: drawJson(dice) } },
  }),
  'POST /executions/{id}/fork': ({ waiting }, dice) => ({
    path: [dice.pick(living(waiting))],
    body: {
      at: 1,
      patch: { drawn: drawJson(dice) },
      visit: undefined,
      items: undefined,
      revision: 'same',
    },
  }),
  'POST /executions/import': (_, dice) => ({ body: dice.pick(EXPORTS) }),
  // Matches no workflow, because otherwise no execution would be left.
  'POST /executions/bulk': () => ({
    body: { filter: { workflow_id: 'nobody' }, cursor: undefined },
  }),
  'POST /executions/{id}/approve': ({ approving }, dice) => ({
    path: [dice.pick(approving)],
    body: { node_id: undefined, shown_hash: undefined },
  }),
  'POST /approvals/decide': ({ approving }, dice) => ({
    body: { decisions: [{ execution_id: dice.pick(approving), decision: 'approved' }] },
  }),
  'POST /executions/{id}/external-event': ({ waiting }, dice) => ({
    path: [dice.pick(living(waiting))],
    body: { correlation_key: dice.pick(['paid', 'other']), payload: { n: 1 } },
  }),
  'POST /agents': (_, _dice, n) => ({ body: { id: `new-${n}`, name: 'New' } }),
  'GET /agents/{id}': agent,
  'POST /agents/discover': () => ({ body: { url: 'http://agent.invalid/' } }),
  'POST /agents/preview': () => ({ body: { url: 'http://agent.invalid/' } }),
  'POST /agents/{id}/activate': agent,
  'POST /agents/{id}/deactivate': agent,
  'POST /agents/{id}/heartbeat': agent,
  'GET /a2a/{workflow_id}/.well-known/agent-card.json': exposed,
  'POST /tenants': (_, _dice, n) => ({ body: { id: `made-${n}`, name: 'Made' } }),
  'GET /tenants/{id}': ({ tenantId }) => ({ path: [tenantId] }),
  'PUT /tenants/{id}': ({ spareTenantId }) => ({ path: [spareTenantId] }),
  'PUT /retention/policies': () => ({
    body: { workflow_id: 'kept', completed_days: 3_650 },
  }),
  'DELETE /retention/policies': () => ({ query: { workflow_id: 'kept' } }),
  'POST /work-items/claim': (_, dice) => ({
    body: {
      worker_id: WORKER_ID,
      queue_types: ['python_tool'],
      queues: ['default'],
      wait_ms: dice.pick([null, 0]),
      // Drawn reports would hardly ever name an existing item.
      reports: undefined,
      host: 'here',
      version: '1.0.0',
    },
  }),
  'POST /work-items/report': ({ items }, dice) => {
    const { id, lease_fence } = dice.pick(living(items));
    return {
      body: {
        worker_id: WORKER_ID,
        reports: [{ kind: 'heartbeat', work_item_id: id, lease_fence }],
      },
    };
  },
  'POST /work-items/{id}/heartbeat': ({ items }, dice) => {
    const item = dice.pick(living(items));
    return { path: [item.id], body: { worker_id: WORKER_ID, lease_fence: item.lease_fence } };
  },
  'POST /work-items/{id}/complete': ({ items }, dice) => {
    const { id, execution_id, node_id, lease_fence, idempotency_key } = dice.pick(
      doomed(items).slice(2),
    );
    return { path: [id], body: { execution_id, node_id, lease_fence, idempotency_key } };
  },
  'POST /work-items/{id}/fail': ({ items }, dice) => {
    const { id, execution_id, node_id, lease_fence } = dice.pick(doomed(items).slice(0, 1));
    return { path: [id], body: { execution_id, node_id, lease_fence, error: 'it broke' } };
  },
  'POST /work-items/{id}/release': ({ items }, dice) => {
    const { id, lease_fence } = dice.pick(doomed(items).slice(1, 2));
    return { path: [id], body: { lease_fence } };
  },
  'GET /work-items/{id}/journal': ({ turns }, dice) => {
    const { id, lease_fence } = dice.pick(living(turns));
    return { path: [id], query: { lease_fence: String(lease_fence) } };
  },
  // The same entry each time: the first request records it, and the others find it recorded.
  'POST /work-items/{id}/steps': ({ turns }, dice) => {
    const { id, lease_fence } = dice.pick(living(turns));
    const entries = [{ identity: 'charge', kind: 'step', output: 'charged' }];
    return { path: [id], body: { lease_fence, expected_length: 0, entries } };
  },
  'POST /work-items/{id}/suspend': ({ turns }, dice) => {
    const { id, lease_fence } = dice.pick(doomed(turns).slice(0, -1));
    const waits = [{ identity: 'nap', kind: 'timer', delay_ms: 3_600_000 }];
    return { path: [id], body: { lease_fence, expected_length: 0, entries: [], waits } };
  },
  // The same request each time: the first one continues, and the others get its answer.
  'POST /work-items/{id}/continue': ({ turns }, dice) => {
    const { id, lease_fence } = dice.pick(doomed(turns).slice(-1));
    return { path: [id], body: { lease_fence, expected_length: 0, entries: [], input: { n: 1 } } };
  },
  'GET /work-items': () => ({ query: { status: 'dead_lettered' } }),
  'GET /work-items/{id}': ({ deadItems }, dice) => ({ path: [dice.pick(deadItems)] }),
  'POST /work-items/{id}/requeue': ({ deadItems }, dice) => ({ path: [dice.pick(deadItems)] }),
  'GET /artifacts/{hash}': ({ artifacts }, dice) => ({ path: [dice.pick(artifacts)] }),
  'POST /v1/memory/settings': () => ({
    body: { provider: 'openai', api_key: 'sk-fuzz', enabled: true },
  }),
  'PATCH /v1/memory/settings': () => ({ body: { enabled: true } }),
  'POST /v1/memory/settings/test': () => ({ body: { provider: 'openai', api_key: 'sk-fuzz' } }),
  'POST /v1/memory/forget': ({ facts }, dice) => ({
    body: { id: dice.pick(facts), end_user_id: undefined, reason: 'asked to' },
  }),
  'POST /webhooks': () => ({
    body: { url: 'https://hook.invalid/', event_types: ['execution.failed'] },
  }),
  'DELETE /webhooks/{id}': ({ webhooks }, dice) => ({ path: [dice.pick(doomed(webhooks))] }),
  'GET /webhooks/{id}/deliveries': ({ webhooks }, dice) => ({
    path: [dice.pick(living(webhooks))],
  }),
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver': ({ webhooks }, dice) => ({
    path: [dice.pick(living(webhooks)), NO_MESSAGE],
  }),
  'POST /schedules/preview': (_, dice) => ({ body: timing(dice) }),
  'POST /schedules/{id}/trigger': schedule,
  'POST /schedules/{id}/backfill': (subjects, dice, n) => ({
    ...schedule(subjects, dice, n),
    body: { from: '2026-01-01', to: '2026-01-03', limit: dice.between(1, 3) },
  }),
  'POST /tokens': () => ({ body: { name: 'made' } }),
  'DELETE /tokens/{id}': ({ tokens }, dice) => ({ path: [dice.pick(doomed(tokens))] }),
  'POST /tokens/{id}/rotate': ({ tokens }, dice) => ({ path: [dice.pick(living(tokens))] }),
  'POST /mcp': ({ executions }, dice) => ({ body: drawMcpMessage(executions, dice) }),
  'POST /a2a/{workflow_id}': ({ task }, dice, n) => ({
    path: [EXPOSED],
    body: drawA2aMessage({ task, n }, dice),
  }),
  ...Object.fromEntries(
    ['/schedules', '/cron'].flatMap((path) => [
      [`POST ${path}`, newSchedule],
      [`GET ${path}/{id}`, schedule],
      [`PUT ${path}/{id}`, changedSchedule],
      [`DELETE ${path}/{id}`, doomedSchedule],
    ]),
  ),
};

function drawMcpMessage(executions: readonly string[], dice: Dice): JsonObject {
  const call = (name: string, args: JsonObject): JsonObject => ({
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const [execution_id] = [dice.pick(executions)];
  const message = dice.pick<JsonObject>([
    { method: 'tools/list', params: {} },
    { method: 'ping' },
    {
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'fuzz', version: '1' },
      },
    },
    call('list_workflows', { limit: 3 }),
    call('get_execution', { execution_id }),
    call('list_execution_events', { execution_id, after: 0 }),
    call('start_execution', { workflow_id: TOOLING, input: {} }),
    call('send_external_event', { execution_id, correlation_key: 'k', payload: {} }),
    call('recall_facts', { query: 'fact' }),
  ]);
  return { jsonrpc: '2.0', id: dice.between(1, 99), ...message };
}

function drawA2aMessage(
  given: { readonly task: string; readonly n: number },
  dice: Dice,
): JsonObject {
  const parts = [{ kind: 'text', text: 'hello' }];
  const message = { kind: 'message', role: 'user', messageId: `m-${given.n}`, parts };
  const chosen = dice.pick<JsonObject>([
    { method: 'message/send', params: { message, configuration: { blocking: false } } },
    { method: 'message/stream', params: { message } },
    { method: 'tasks/resubscribe', params: { id: given.task } },
    { method: 'tasks/get', params: { id: given.task } },
    { method: 'tasks/cancel', params: { id: given.task } },
    { method: 'tasks/pushNotificationConfig/get', params: { id: given.task } },
  ]);
  return { jsonrpc: '2.0', id: dice.between(1, 99), ...chosen };
}

/** A query without a mistake. */
function drawQueryOf(dice: Dice): string {
  return dice.pick([
    'status in (failed, running) and started > -1h',
    'error ~ "a" and version != "1"',
    `workflow = ${TOOLING} and ended <= now`,
    'workflow ~ o',
  ]);
}
