import anyTest, { type TestFn } from 'ava';

import { routes } from '../../src/api/routes.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import {
  startEmbeddingProvider,
  type EmbeddingProvider,
} from '../support/servers/embedding-provider.ts';
import { makeExport } from '../support/imports.ts';
import { textOf, type ApiAnswer } from './support/call-api.ts';
import { fillTenant, type TenantIds } from './support/fill-tenant.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

/*
 * The operator of one tenant requests objects of another at every endpoint. The answer never
 * contains anything of the other tenant, and no row of that tenant changes.
 */

const UNKNOWN_DEFINITION = '0198c0de-0000-7000-a000-000000000009';
const ALPHA = 'alpha';
const BETA = 'beta';

interface Place {
  readonly api: TestApi;
  readonly provider: EmbeddingProvider;
  readonly ids: TenantIds;
  /** The token of the other tenant's operator. */
  readonly token: string;
}

interface Request {
  readonly path: string;
  readonly body?: JsonObject;
  readonly status: number;
}

const DIALECTS = ['sqlite', 'postgres'] as const;
type Dialect = (typeof DIALECTS)[number];

const test = anyTest as TestFn<Record<Dialect, Place>>;

for (const dialect of DIALECTS) {
  test.before(`fill (${dialect})`, async (t) => {
    const provider = await startEmbeddingProvider();
    const api = await startTestApi({ dialect, memory: { embeddingBaseUrl: provider.url } });
    for (const id of [ALPHA, BETA]) {
      await api.call({ path: '/tenants', body: { id, name: `${id} canary` } });
    }
    const ids = await fillTenant(api, ALPHA);
    const token = await api.mint({ role: 'operator', tenant: BETA });
    t.context[dialect] = { api, provider, ids, token };
  });
  test.after.always(`close (${dialect})`, async (t) => {
    await t.context[dialect].api.close();
    await t.context[dialect].provider.close();
  });
}

/** The requests to each route, and the status of their answers. Ids in paths belong to alpha. */
function requestsFor(route: string, ids: TenantIds): readonly Request[] | null {
  const { executionIds, workItemId, deadItemId, leaseFence, idempotencyKey, workflowId } = ids;
  const ofExecutions = (suffix: string, body?: JsonObject): readonly Request[] =>
    executionIds.map((id) => ({
      path: `/executions/${id}${suffix}`,
      status: 404,
      ...(body !== undefined && { body }),
    }));
  const claim = { worker_id: ids.workerId, queue_types: ['python_tool', 'java_tool'] };
  const settle = { lease_fence: leaseFence, idempotency_key: idempotencyKey };
  const item = `/work-items/${workItemId}`;
  const agent = `/agents/${ids.agentId}`;
  const cases: Readonly<Record<string, readonly Request[]>> = {
    'GET /': [{ path: '/', status: 200 }],
    'GET /health': [{ path: '/health', status: 200 }],
    'GET /ready': [{ path: '/ready', status: 200 }],
    'GET /whoami': [{ path: '/whoami', status: 200 }],
    'GET /openapi.json': [{ path: '/openapi.json', status: 200 }],
    'GET /workflow.schema.json': [{ path: '/workflow.schema.json', status: 200 }],
    'GET /.well-known/did.json': [{ path: '/.well-known/did.json', status: 200 }],
    'GET /.well-known/agent.json': [{ path: '/.well-known/agent.json', status: 200 }],
    'GET /.well-known/agent-card.json': [{ path: '/.well-known/agent-card.json', status: 200 }],

    'POST /workflows': [
      { path: '/workflows', body: { ir: { workflow_id: 'own', nodes: {} } }, status: 201 },
    ],
    'POST /workflows/validate': [
      {
        path: '/workflows/validate',
        body: { ir: { workflow_id: ids.secondWorkflowId } },
        status: 200,
      },
    ],
    'POST /workflows/simulate': [
      {
        path: '/workflows/simulate',
        body: { ir: { workflow_id: ids.secondWorkflowId } },
        status: 200,
      },
    ],
    'GET /workflows': [
      { path: '/workflows', status: 200 },
      { path: `/workflows?workflow_id=${ids.secondWorkflowId}`, status: 200 },
    ],
    'GET /workflows/:id': [{ path: `/workflows/${ids.secondWorkflowId}`, status: 404 }],
    'POST /workflows/:id/pause': [
      { path: `/workflows/${ids.secondWorkflowId}/pause`, body: {}, status: 404 },
    ],
    'POST /workflows/:id/resume': [
      { path: `/workflows/${ids.secondWorkflowId}/resume`, body: {}, status: 404 },
    ],

    'POST /executions': [
      {
        path: '/executions',
        body: { workflow_id: ids.secondWorkflowId, input: {} },
        status: 404,
      },
    ],
    'POST /executions/batch': [
      {
        path: '/executions/batch',
        body: { executions: [{ workflow_id: ids.secondWorkflowId, input: {} }] },
        status: 200,
      },
    ],
    'GET /executions': [
      { path: '/executions', status: 200 },
      { path: `/executions?workflow_id=${workflowId}`, status: 200 },
      { path: '/executions?status=running', status: 200 },
      { path: `/executions?q=id%20in%20(${executionIds.join()})`, status: 200 },
      { path: '/executions?q=error~e', status: 200 },
    ],
    'GET /executions/counts': [
      { path: '/executions/counts', status: 200 },
      { path: `/executions/counts?q=id%20in%20(${executionIds.join()})`, status: 200 },
    ],
    'GET /executions/:id': ofExecutions(''),
    'GET /executions/:id/result': [...ofExecutions('/result'), ...ofExecutions('/result?wait=1m')],
    'GET /executions/:id/explain': ofExecutions('/explain'),
    'GET /executions/:id/events': ofExecutions('/events'),
    'GET /executions/:id/state': ofExecutions('/state'),
    'GET /executions/:id/state/diff': ofExecutions('/state/diff'),
    'GET /executions/:id/state/blame': ofExecutions('/state/blame'),
    'GET /executions/:id/timeline': ofExecutions('/timeline'),
    'GET /executions/:id/export': ofExecutions('/export'),
    'POST /executions/import': [
      {
        path: '/executions/import',
        body: makeExport({ executionId: executionIds[0] ?? '', definitionId: UNKNOWN_DEFINITION }),
        status: 409,
      },
    ],
    'POST /executions/:id/cancel': ofExecutions('/cancel', {}),
    'POST /executions/:id/pause': ofExecutions('/pause', {}),
    'POST /executions/:id/resume': ofExecutions('/resume', {}),
    'POST /executions/:id/build': ofExecutions('/build', { build_id: null }),
    'POST /executions/:id/retry': ofExecutions('/retry', {}),
    'POST /executions/:id/fork': ofExecutions('/fork', { at: 1 }),
    'GET /executions/:id/forks': ofExecutions('/forks'),
    'POST /executions/bulk': [
      {
        path: '/executions/bulk',
        body: { action: 'cancel', filter: { workflow_id: workflowId } },
        status: 200,
      },
    ],
    'POST /executions/:id/approve': ofExecutions('/approve', { decision: 'approved' }),
    'GET /executions/:id/approvals': ofExecutions('/approvals'),
    'POST /executions/:id/external-event': ofExecutions('/external-event', {
      correlation_key: 'paid',
      payload: {},
    }),

    'GET /approvals': [
      { path: '/approvals', status: 200 },
      { path: '/approvals?status=decided', status: 200 },
    ],
    'POST /approvals/decide': [
      {
        path: '/approvals/decide',
        body: {
          decisions: executionIds.map((execution_id) => ({ execution_id, decision: 'approved' })),
        },
        status: 200,
      },
    ],

    'POST /agents': [{ path: '/agents', body: { id: 'agent-own', name: 'another' }, status: 201 }],
    'GET /agents': [{ path: '/agents', status: 200 }],
    'GET /agents/:id': [{ path: agent, status: 404 }],
    'POST /agents/discover': [
      { path: '/agents/discover', body: { url: 'http://127.0.0.1:1/' }, status: 502 },
    ],
    'POST /agents/preview': [
      { path: '/agents/preview', body: { url: 'http://127.0.0.1:1/' }, status: 502 },
    ],
    'POST /agents/:id/activate': [{ path: `${agent}/activate`, body: {}, status: 404 }],
    'POST /agents/:id/deactivate': [{ path: `${agent}/deactivate`, body: {}, status: 404 }],
    'POST /agents/:id/heartbeat': [{ path: `${agent}/heartbeat`, body: {}, status: 404 }],

    'GET /a2a/:workflow_id/.well-known/agent-card.json': [
      { path: `/a2a/${ids.secondWorkflowId}/.well-known/agent-card.json`, status: 404 },
    ],

    'POST /tenants': [{ path: '/tenants', body: { id: 'gamma', name: 'x' }, status: 403 }],
    'GET /tenants': [{ path: '/tenants', status: 200 }],
    'GET /tenants/:id': [{ path: `/tenants/${ALPHA}`, status: 404 }],
    'PUT /tenants/:id': [{ path: `/tenants/${ALPHA}`, body: { name: 'x' }, status: 403 }],

    'GET /audit': [
      { path: '/audit', status: 200 },
      ...executionIds.map((id) => ({ path: `/audit?execution_id=${id}`, status: 200 })),
    ],
    'GET /workers': [{ path: '/workers', status: 200 }],
    'GET /queues': [{ path: '/queues', status: 200 }],
    'GET /leases': [{ path: '/leases', status: 200 }],
    'GET /failures': [{ path: '/failures?within_hours=720', status: 200 }],
    'GET /failures/:id': [{ path: '/failures/0?within_hours=720', status: 200 }],

    'POST /work-items/claim': [{ path: '/work-items/claim', body: claim, status: 200 }],
    'POST /work-items/:id/heartbeat': [
      {
        path: `${item}/heartbeat`,
        body: { worker_id: ids.workerId, lease_fence: leaseFence },
        status: 404,
      },
    ],
    'POST /work-items/report': [
      {
        path: '/work-items/report',
        body: {
          worker_id: 'w',
          reports: [{ kind: 'heartbeat', work_item_id: workItemId, lease_fence: leaseFence }],
        },
        status: 200,
      },
    ],
    'POST /work-items/:id/steps': [
      {
        path: `${item}/steps`,
        body: {
          lease_fence: leaseFence,
          expected_length: 0,
          entries: [{ identity: 'a', kind: 'step' }],
        },
        status: 404,
      },
    ],
    'POST /work-items/:id/suspend': [
      {
        path: `${item}/suspend`,
        body: {
          lease_fence: leaseFence,
          expected_length: 0,
          waits: [{ identity: 'a', kind: 'timer', delay_ms: 1 }],
        },
        status: 404,
      },
    ],
    'POST /work-items/:id/continue': [
      {
        path: `${item}/continue`,
        body: { lease_fence: leaseFence, expected_length: 0, input: {} },
        status: 404,
      },
    ],
    'GET /work-items/:id/journal': [
      { path: `${item}/journal?lease_fence=${leaseFence}`, status: 404 },
    ],
    'POST /work-items/:id/complete': [
      { path: `${item}/complete`, body: { ...settle, output: {}, state_patch: {} }, status: 404 },
    ],
    'POST /work-items/:id/fail': [
      { path: `${item}/fail`, body: { ...settle, error: 'x' }, status: 404 },
    ],
    'POST /work-items/:id/release': [
      { path: `${item}/release`, body: { lease_fence: leaseFence }, status: 404 },
    ],
    'GET /work-items': [{ path: '/work-items?status=dead_lettered', status: 200 }],
    'GET /work-items/:id': [{ path: `/work-items/${deadItemId}`, status: 404 }],
    'POST /work-items/:id/requeue': [
      { path: `/work-items/${deadItemId}/requeue`, body: {}, status: 404 },
    ],

    'GET /v1/memory/settings': [{ path: '/v1/memory/settings', status: 200 }],
    'POST /v1/memory/settings/test': [{ path: '/v1/memory/settings/test', body: {}, status: 400 }],
    'PATCH /v1/memory/settings': [
      { path: '/v1/memory/settings', body: { enabled: true }, status: 200 },
    ],
    'POST /v1/memory/settings': [
      {
        path: '/v1/memory/settings',
        body: { provider: 'openai', api_key: 'sk-beta' },
        status: 200,
      },
    ],
    'POST /v1/memory/add': [{ path: '/v1/memory/add', body: { content: 'own' }, status: 200 }],
    'POST /v1/memory/recall': [
      { path: '/v1/memory/recall', body: { query: 'secret of the other' }, status: 200 },
    ],
    'POST /v1/memory/forget': [
      {
        path: '/v1/memory/forget',
        body: { id: ids.factId, reason: 'asked to' },
        status: 200,
      },
    ],
    'GET /v1/memory/facts': [{ path: '/v1/memory/facts', status: 200 }],
    'GET /v1/memory/stats': [{ path: '/v1/memory/stats', status: 200 }],

    'POST /artifacts': [{ path: '/artifacts', body: { own: 'content' }, status: 201 }],
    'GET /artifacts/:hash': [{ path: `/artifacts/${ids.artifactHash}`, status: 404 }],

    'POST /webhooks': [
      { path: '/webhooks', body: { url: 'https://own.example/hook' }, status: 201 },
    ],
    'GET /webhooks': [{ path: '/webhooks', status: 200 }],
    'DELETE /webhooks/:id': [{ path: `/webhooks/${ids.webhookId}`, status: 404 }],
    'GET /webhooks/:id/deliveries': [
      { path: `/webhooks/${ids.webhookId}/deliveries`, status: 404 },
    ],

    'POST /webhooks/:id/deliveries/:delivery_id/redeliver': [
      { path: `/webhooks/${ids.webhookId}/deliveries/msg_${ids.webhookId}/redeliver`, status: 404 },
    ],
    'POST /schedules/preview': [{ path: '/schedules/preview', body: { every: '1h' }, status: 200 }],
    'POST /schedules/:id/trigger': [ids.scheduleId, ids.scheduleName].map((id) => ({
      path: `/schedules/${id}/trigger`,
      status: 404,
    })),
    'POST /schedules/:id/backfill': [ids.scheduleId, ids.scheduleName].map((id) => ({
      path: `/schedules/${id}/backfill`,
      body: { from: '2026-01-01', to: '2026-01-02' },
      status: 404,
    })),
    ...ofSchedules('/schedules', ids),
    ...ofSchedules('/cron', ids),

    'GET /audit/verify': [{ path: '/audit/verify', status: 200 }],
    'GET /system': [{ path: '/system', status: 403 }],
    'GET /system/doctor': [{ path: '/system/doctor', status: 403 }],
    'GET /settings': [{ path: '/settings', status: 403 }],
    'GET /retention/preview': [{ path: '/retention/preview?older_than_days=1', status: 200 }],
    'GET /retention/policies': [{ path: '/retention/policies', status: 200 }],
    'PUT /retention/policies': [
      { path: '/retention/policies', body: { completed_days: 1000 }, status: 200 },
    ],
    'DELETE /retention/policies': [{ path: '/retention/policies?workflow_id=alpha', status: 404 }],

    'POST /tokens': [{ path: '/tokens', body: { name: 'own', role: 'viewer' }, status: 201 }],
    'GET /tokens': [{ path: '/tokens', status: 200 }],
    'DELETE /tokens/:id': [{ path: `/tokens/${ids.tokenId}`, status: 404 }],
    'POST /tokens/:id/rotate': [{ path: `/tokens/${ids.tokenId}/rotate`, body: {}, status: 404 }],
  };
  return cases[route] ?? null;
}

for (const dialect of DIALECTS) {
  for (const { method, path: template, access } of routes) {
    const route = `${method} ${template}`;

    test.serial(`${dialect}: ${route} shows and changes nothing of another tenant`, async (t) => {
      const { api, ids, token } = t.context[dialect];
      const requests = requestsFor(route, ids);
      if (requests === null) {
        t.fail(
          'the route has no case: say what it answers when asked for what is not the caller’s',
        );
        return;
      }
      const before = await rowsOf(api, ids);
      t.true(before.length > 10);
      for (const { path, body, status } of requests) {
        const call = { method, path, ...(body !== undefined && { body }) };
        const answer = await api.call({ ...call, token });
        t.is(answer.status, status, `${path}: ${answer.error}`);
        tellsNothing(answer, ids, `${path} ${JSON.stringify(body)}`).forEach((told) =>
          t.fail(told),
        );
        if (access === 'open') continue;
        const named = await api.call({ ...call, token, headers: { 'x-tenant-id': ALPHA } });
        t.is(named.status, 403, path);
      }
      const after = new Set(await rowsOf(api, ids));
      t.deepEqual(
        before.filter((row) => !after.has(row)),
        [],
      );
    });
  }
}

for (const dialect of DIALECTS) {
  test(`${dialect}: the same ids in two tenants are two things`, async (t) => {
    const { api, ids, token } = t.context[dialect];
    const ir = { workflow_id: ids.workflowId, nodes: {} };
    const card = { id: ids.agentId, name: 'another' };
    const before = await rowsOf(api, ids);
    t.is((await api.call({ path: '/workflows', body: { ir }, token })).status, 201);
    t.is((await api.call({ path: '/agents', body: card, token })).status, 201);
    const after = new Set(await rowsOf(api, ids));
    t.true(before.every((row) => after.has(row)));
    const read = await api.call({ path: `/agents/${ids.agentId}`, token });
    t.like(read.body, { name: 'another' });
  });
}

test('the other tenant sees what it has', async (t) => {
  for (const dialect of DIALECTS) {
    const { api, ids } = t.context[dialect];
    const token = await api.mint({ role: 'viewer', tenant: ALPHA });
    const [id = ''] = ids.executionIds;
    const read = await api.call({ path: `/executions/${id}`, token });
    t.is(textOf(read, 'execution_id'), id);
  }
});

/** Requests for the other tenant's schedules, by id and by name; names are unique per tenant. */
function ofSchedules(path: string, ids: TenantIds): Readonly<Record<string, readonly Request[]>> {
  const named = [ids.scheduleId, ids.scheduleName].map((id) => `${path}/${id}`);
  const own = { name: `own of ${path.slice(1)}`, workflow_id: ids.workflowId, every: '1h' };
  return {
    [`POST ${path}`]: [{ path, body: own, status: 404 }],
    [`GET ${path}`]: [{ path, status: 200 }],
    [`GET ${path}/:id`]: named.map((each) => ({ path: each, status: 404 })),
    [`PUT ${path}/:id`]: named.map((each) => ({ path: each, body: { paused: true }, status: 404 })),
    [`DELETE ${path}/:id`]: named.map((each) => ({ path: each, status: 404 })),
  };
}

/** Ids that the request did not contain, and words that every text of the tenant contains. */
function tellsNothing(answer: ApiAnswer, ids: TenantIds, question: string): readonly string[] {
  const text = JSON.stringify(answer.body);
  return [...ids.all, 'canary']
    .filter((word) => text.includes(word) && !question.includes(word))
    .filter((word) => !(word === 'canary' && text.includes('beta canary')))
    .map((word) => `${question} reveals ${word}: ${text}`);
}

/** Every row that contains the tenant or one of its ids. */
async function rowsOf(api: TestApi, ids: TenantIds): Promise<readonly string[]> {
  const contents = await api.database.contents();
  const words = [ALPHA, ...ids.all].flatMap((id) => [id, hyphenated(id)]);
  // The runtime writes the last contact of a worker with a delay.
  const { workers: _, ...tables } = contents;
  return Object.entries(tables).flatMap(([table, rows]) =>
    rows.filter((row) => words.some((word) => row.includes(word))).map((row) => `${table} ${row}`),
  );
}

/** The id of an execution in the form of PostgreSQL. */
function hyphenated(id: string): string {
  const match = /^exec_(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(id);
  return match === null ? id : match.slice(1).join('-');
}
