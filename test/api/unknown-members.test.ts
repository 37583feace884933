import anyTest, { type TestFn } from 'ava';
import { z } from 'zod';

import type { JsonObject } from '../../src/shared/domain/json.ts';
import { routes } from '../../src/api/routes.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

/* An unknown member is a typo or a misunderstanding: routes where that is harmful refuse it. */

const test = anyTest as TestFn<{ api: TestApi }>;

test.before(async (t) => {
  t.context.api = await startTestApi();
});
test.after.always((t) => t.context.api.close());

/**
 * Bodies of the contract, whose clients may send additional members, and documents that are stored.
 */
const LENIENT = [
  'POST /workflows',
  'POST /executions',
  'POST /executions/import',
  'POST /executions/:id/approve',
  'POST /executions/:id/external-event',
  'POST /agents',
  'POST /agents/discover',
  'POST /work-items/claim',
  'POST /work-items/report',
  'POST /work-items/:id/heartbeat',
  'POST /work-items/:id/steps',
  'POST /work-items/:id/suspend',
  'POST /work-items/:id/continue',
  'POST /work-items/:id/complete',
  'POST /work-items/:id/fail',
  'POST /work-items/:id/release',
  'POST /v1/memory/add',
  'POST /v1/memory/recall',
  'POST /v1/memory/forget',
];

test('every body refuses what it does not know, but those of this list', (t) => {
  const lenient = routes
    .filter(({ body }) => body !== null && !isStrict(body))
    .map(({ method, path }) => `${method} ${path}`);
  t.deepEqual(lenient, LENIENT);
});

test('strict bodies are strict to their last object', (t) => {
  const lenient = routes
    .filter(({ body }) => body !== null && isStrict(body))
    .filter(({ body }) => objectsOf(z.toJSONSchema(body ?? z.never(), AS_SENT)).some(isOpen))
    .map(({ method, path }) => `${method} ${path}`);
  t.deepEqual(lenient, []);
});

type Schema = Readonly<Record<string, unknown>>;

/** The schema itself, and all within it. */
function objectsOf(schema: unknown): readonly Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [schema as Schema, ...Object.values(schema).flatMap(objectsOf)];
}

function isOpen({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && properties !== undefined && additionalProperties !== false;
}

const AS_SENT = { io: 'input', unrepresentable: 'any' } as const;

function isStrict(body: z.ZodType): boolean {
  const schema = z.toJSONSchema(body, AS_SENT);
  return schema.additionalProperties === false;
}

for (const { method, path, body } of routes) {
  if (body === null || !isStrict(body)) continue;
  test(`400: ${method} ${path} names what it does not know, and does nothing`, async (t) => {
    const { api } = t.context;
    const before = await api.database.contents();
    const at = path.replaceAll(/:\w+/g, 'none');
    const answer = await api.call({ method, path: at, body: { no_such_member: 1 } });
    t.is(answer.status, 400);
    t.regex(answer.error, /\/no_such_member is unknown/);
    t.deepEqual({ ...(await api.database.contents()), tokens: [] }, { ...before, tokens: [] });
  });
}

for (const [path, body, message] of [
  [
    '/tokens',
    { name: 'x', role: 'operator', tenant_id: 'acme' },
    'bad request: /tenant_id is unknown, the header X-Tenant-Id names the tenant',
  ],
  [
    '/tokens',
    { nmae: 'x', name: 'x', role: 'viewer' },
    'bad request: /nmae is unknown, did you mean "name"?',
  ],
  [
    '/cron',
    { name: 'x', workflow_id: 'w', every: '1h', enabeld: false },
    'bad request: /enabeld is unknown, did you mean "enabled"?',
  ],
  [
    '/tenants',
    { id: 'x', name: 'x', 'a/b~c': 1 },
    'bad request: /a~1b~0c is unknown, known are id, name',
  ],
  [
    '/executions/bulk',
    { action: 'cancel', dry_run: true, filter: {}, filtr: {} },
    'bad request: /filtr is unknown, did you mean "filter"?',
  ],
  [
    '/executions/bulk',
    { action: 'cancel', filter: { workflow_id: 'w', staus: 'paused' } },
    'bad request: /filter/staus is unknown, did you mean "status"?',
  ],
  [
    '/approvals/decide',
    { decisions: [{ execution_id: 'x', decision: 'approved', coment: 'fine' }] },
    'bad request: /decisions/0/coment is unknown, did you mean "comment"?',
  ],
] as const satisfies readonly (readonly [string, JsonObject, string])[]) {
  test(`400: ${message}`, async (t) => {
    const answer = await t.context.api.call({ path, body });
    t.is(answer.status, 400);
    t.true(answer.error.includes(message.replace('bad request: ', '')), answer.error);
  });
}
