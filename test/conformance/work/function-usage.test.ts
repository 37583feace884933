import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { claimTurn, type Entry, FUNCTION, record, step } from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Model usage in the journal of a function: priced, recorded and charged with the entry. */

const check = onBothStores();

const used = (identity: string, usage: JsonObject): Entry => ({ ...step(identity), usage });
const tokens = (input: number, output = 0): JsonObject => ({
  input_tokens: input,
  output_tokens: output,
});
/** A node after the function: its entry checks the execution's charges. */
const THEN = {
  nodes: { f: FUNCTION, g: { kind: 'python_fn', module: 'm', function: 'g' } },
  edges: [{ from: 'f', to: 'g' }],
};

/** The charges that a budget found at the node after the function. */
async function charged(svc: TestTenant, id: string): Promise<JsonValue> {
  await svc.until(id, 'failed');
  const exceeded = (await svc.events(id)).findLast(({ kind }) => kind === 'BudgetExceeded');
  const { tokens: spent = null, cost_usd: cost = null } = isJsonObject(exceeded?.payload)
    ? exceeded.payload
    : {};
  return [spent, cost];
}

check('200: an entry carries the usage of its models, priced by their name', async (t, svc) => {
  const id = await svc.run({ nodes: { f: FUNCTION } });
  const item = await claimTurn(svc);
  const usage = { model: 'gpt-4o', ...tokens(1_000_000, 100_000) };
  expectStatus(await record(svc, item, [used('ask', usage), step('plain')]), 200);
  const own = { model: 'm-1', ...tokens(7), cost_usd: 0.5 };
  const entries = [used('own', own), used('unknown', { model: 'm-2', ...tokens(1) })];
  expectStatus(await svc.complete(item, {}, { expected_length: 2, entries }), 200);
  const { usage: sum } = await svc.until(id, 'completed');
  t.deepEqual(sum, { input_tokens: 1_000_008, output_tokens: 100_000, cost_usd: 4 });
  const recorded = (await svc.events(id)).flatMap(({ kind, payload }) =>
    kind === 'StepRecorded' ? (payload['entries'] as readonly JsonObject[]) : [],
  );
  t.deepEqual(
    recorded.map((entry) => entry['usage']),
    [
      { ...usage, cost_usd: 3.5 },
      undefined,
      { output_tokens: 0, ...own },
      { model: 'm-2', ...tokens(1), cost_usd: null },
    ],
  );
});

check('200: a request that is sent again charges once', async (t, svc) => {
  const id = await svc.run({ ...THEN, token_budget: 100 });
  const item = await claimTurn(svc);
  const entries = [used('ask', { model: 'gpt-4o', ...tokens(60, 40) })];
  for (const _ of [1, 2, 3]) expectStatus(await record(svc, item, entries), 200);
  const other = await record(svc, item, [used('ask', { model: 'gpt-4o', ...tokens(61, 40) })]);
  t.is(other.status, 409);
  const more = { expected_length: 1, entries: [used('last', tokens(5))] };
  expectStatus(await svc.complete(item, {}, more), 200);
  t.is((await svc.complete(item, {}, more)).status, 409);
  t.deepEqual(await charged(svc, id), [105, 0.00055]);
});

check('200: a failure charges its own usage and that of its entries', async (t, svc) => {
  const edges = [{ from: 'f', to: 'g', on: 'failure' }];
  const id = await svc.run({ ...THEN, edges, token_budget: 100 });
  const item = await claimTurn(svc);
  const more = { expected_length: 0, entries: [used('ask', tokens(60))], final: true };
  expectStatus(await svc.fail(item, { ...more, gen_ai_output_tokens: 50 }), 200);
  t.deepEqual(await charged(svc, id), [110, 0]);
});

check('200: a retry counts the entries that it takes over once', async (t, svc) => {
  const id = await svc.run({ ...THEN, token_budget: 150 });
  const first = await claimTurn(svc);
  expectStatus(await record(svc, first, [used('ask', tokens(80))]), 200);
  expectStatus(await svc.fail(first, { final: true }), 200);
  await svc.until(id, 'failed');
  const retried = await svc.post<{ execution_id: string }>(`/executions/${id}/retry`, {});
  const { execution_id: next } = expectStatus(retried, 201);
  const again = await claimTurn(svc);
  t.like(again.journal.entries[0], { identity: 'ask', usage: tokens(80) });
  t.like((await svc.read(next)).usage, tokens(80));
  const more = { expected_length: 1, entries: [used('more', tokens(75))] };
  expectStatus(await svc.complete(again, {}, more), 200);
  t.deepEqual(await charged(svc, next), [155, 0]);
});

for (const [usage, problem] of [
  [{ input_tokens: -1 }, 'must not be negative'],
  [{ input_tokens: 1.5 }, 'usage.input_tokens'],
  [{ model: 1 }, 'usage.model'],
  [{ cost_usd: -1 }, 'must not be negative'],
] as const) {
  check(`400: usage is checked: ${JSON.stringify(usage)}`, async (t, svc) => {
    await svc.run({ nodes: { f: FUNCTION } });
    const item = await claimTurn(svc);
    const reply = await record(svc, item, [used('ask', usage)]);
    t.is(reply.status, 400);
    t.true(JSON.stringify(reply.body).includes(problem), JSON.stringify(reply.body));
    await svc.complete(item);
  });
}

for (const end of ['failed', 'cancelled'] as const) {
  check(`200: a completed rollback of a ${end} function is charged its usage`, async (t, svc) => {
    const id = await svc.run({ nodes: { f: FUNCTION } });
    const item = await claimTurn(svc);
    const undo: Entry = { identity: 'undo', kind: 'on_rollback', usage: tokens(1) };
    expectStatus(await record(svc, item, [undo]), 200);
    if (end === 'cancelled') expectStatus(await svc.post(`/executions/${id}/cancel`, {}), 200);
    else expectStatus(await svc.fail(item, { final: true, expected_length: 1 }), 200);
    await svc.untilEvent(id, 'RollbackScheduled', 'f');
    const back = await claimTurn(svc);
    const entries: Entry[] = [{ identity: 'rollback/undo', kind: 'rollback', usage: tokens(20) }];
    const used = { gen_ai_input_tokens: 300, gen_ai_output_tokens: 4 };
    expectStatus(await svc.complete(back, {}, { entries, expected_length: 1, ...used }), 200);
    const { usage } = await svc.until(id, end);
    t.deepEqual(usage, { input_tokens: 321, output_tokens: 4, cost_usd: 0 });
  });
}
