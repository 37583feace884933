import test, { type ExecutionContext } from 'ava';

import type { ApiAnswer } from './support/call-api.ts';
import { startTestApi, type TestApi } from './support/test-api.ts';

/*
 * One tenant sends intentionally slow schemas, and starts as much as it can. Starts of another
 * tenant stay as fast as usual, meanwhile and directly afterwards.
 */

/** Two references per level: `leaf` is checked 2 to the power of 40 times. */
const multiplied = (leaf: object) => ({
  properties: { x: { $ref: '#/$defs/l0' } },
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const next = { $ref: `#/$defs/l${level + 1}` };
        return [`l${level}`, { allOf: [next, next] }];
      }),
    ),
    l40: leaf,
  },
});

const ATTACKS = [
  {
    name: 'a pattern that makes JavaScript backtrack without end',
    schema: { properties: { x: { pattern: '^(a+)+$' } } },
    input: { x: `${'a'.repeat(60)}!` },
  },
  {
    name: 'references that multiply',
    // Each check adds an error, so memory may run out before time does.
    schema: multiplied({ not: {} }),
    input: { x: 1 },
  },
];
const STARTS = 300;
const START_MS_MAX = 15_000;
const USUAL_MS_MAX = 2000;

for (const { name, schema, input } of ATTACKS) {
  test.serial(`${STARTS} starts with ${name} hold up no other tenant`, async (t) => {
    const api = await startTestApi();
    t.teardown(() => api.close());
    const mallory = await tenant(api, 'mallory', schema);
    const acme = await tenant(api, 'acme', { properties: { sku: { pattern: '^[A-Z]{3}$' } } });
    await fastStart(t, acme);
    const gone = new AbortController();
    const attack = Array.from({ length: STARTS }, () =>
      mallory(input, gone.signal).catch(() => null),
    );
    const during = [];
    for (let n = 0; n < 10; n += 1) during.push(await fastStart(t, acme));
    gone.abort();
    during.push(await fastStart(t, acme));
    // The first starts may have waited for a thread to start.
    t.true((during.toSorted((a, b) => a - b)[5] ?? Infinity) < USUAL_MS_MAX);
    t.log(`${during.map(Math.round).join(', ')} ms`);
    const answers = (await Promise.all(attack)).filter((answer) => answer !== null);
    for (const { status } of answers) t.true([400, 429, 503].includes(status), String(status));
    // The attack ends with its callers: its own tenant can start again at once.
    const begun = performance.now();
    t.is((await mallory({ y: 1 })).status, 201);
    t.true(performance.now() - begun < START_MS_MAX);
  });
}

test.serial('429: checks count against max_cpu_seconds_per_minute', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  // No check fails, so the time limit of 5 s ends them, not the memory limit.
  const endless = multiplied({ type: 'integer' });
  const mallory = await tenant(api, 'mallory', endless, { max_cpu_seconds_per_minute: 3 });
  const acme = await tenant(api, 'acme', { properties: { sku: { pattern: '^[A-Z]{3}$' } } });
  t.is((await mallory({ x: 1 })).status, 400);
  const refused = await mallory({ y: 1 });
  t.is(refused.status, 429);
  t.like(refused.body, { limit: 'max_cpu_seconds_per_minute', max: 3 });
  t.true(Number(refused.headers.get('Retry-After')) > 1);
  await fastStart(t, acme);
});

type Start = (input: object, signal?: AbortSignal) => Promise<ApiAnswer>;

async function tenant(
  api: TestApi,
  id: string,
  schema: object,
  limits: object = {},
): Promise<Start> {
  await api.call({ path: '/tenants', body: { id, name: id } });
  await api.call({ method: 'PUT', path: `/tenants/${id}`, body: { limits } });
  const token = await api.mint({ role: 'operator', tenant: id });
  const ir = {
    workflow_id: 'check',
    version: '1',
    state_schema: schema,
    nodes: { wait: { kind: { type: 'human_approval' } } },
    edges: [],
  };
  const registered = await api.call({ method: 'POST', path: '/workflows', token, body: { ir } });
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.body));
  return (input, signal) =>
    api.call({
      method: 'POST',
      path: '/executions',
      token,
      body: { workflow_id: 'check', input },
      ...(signal !== undefined && { signal }),
    });
}

async function fastStart(t: ExecutionContext, start: Start): Promise<number> {
  const begun = performance.now();
  const { status } = await start({ sku: 'ABC' });
  const ms = performance.now() - begun;
  t.is(status, 201);
  t.true(ms < START_MS_MAX, `${ms} ms`);
  return ms;
}
