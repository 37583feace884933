import test, { type ExecutionContext } from 'ava';

import { isInlineReference } from '../../../../src/shared/domain/artifact-reference.ts';
import type { JsonObject, JsonValue } from '../../../../src/shared/domain/json.ts';
import type { NodeOutcome } from '../../../../src/shared/nodes/run.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Results of nodes in the engine may be large; frequently written rows must not contain them. */

const PAGE = 'page '.repeat(60_000);
const CHAIN = {
  nodes: { a: { kind: 'call', output_key: 'a' }, b: { kind: 'call', output_key: 'b' } },
  edges: [{ from: 'a', to: 'b', condition: 'output.status == "ok"' }],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const open = async (t: ExecutionContext) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    return store;
  };

  test(`${dialect}: a large output is read whole by the next node and by people`, async (t) => {
    const inputs: JsonValue[] = [];
    const svc = openTestEngine({
      store: await open(t),
      async run({ input, nodeId }) {
        inputs.push(input);
        return nodeId === 'a'
          ? { ok: true, output: { status: 'ok', page: PAGE }, statePatch: { seen: [PAGE] } }
          : { ok: true, output: {}, statePatch: {} };
      },
    });
    const executionId = await svc.start(CHAIN);
    await svc.settle();
    const of = { tenantId: TENANT, executionId };
    const after = { a: { status: 'ok', page: PAGE }, seen: [PAGE] };
    t.deepEqual(inputs, [{}, after]);
    const { state, row } = await svc.engine.readExecution(of);
    t.is(row.status, 'completed');
    t.deepEqual(state.data, { ...after, b: {} });
    const { events } = await svc.engine.readEvents({ ...of, after: 0, limit: null });
    for (const event of events) t.true(JSON.stringify(event).length < 2_000, event.kind);
    const completed = events.find((event) => event.kind === 'NodeCompleted');
    const output = completed?.payload.output as JsonObject;
    t.is(output['status'], 'ok');
    t.true(isInlineReference(output['page'] ?? null));
  });

  test(`${dialect}: a large list is visible to the expressions that look into it`, async (t) => {
    const items: JsonValue[] = [];
    const rows = Array.from({ length: 20 }, (_, index) => ({ index, text: PAGE.slice(0, 9_000) }));
    const svc = openTestEngine({
      store: await open(t),
      async run({ input, nodeId }) {
        if (nodeId === 'a') return { ok: true, output: { rows, page: PAGE }, statePatch: {} };
        items.push((input as JsonObject)['item'] ?? null);
        return { ok: true, output: {}, statePatch: {} };
      },
    });
    const executionId = await svc.start({
      nodes: {
        a: { kind: 'call', output_key: 'a' },
        each: { kind: { type: 'map', items: '$.a.rows', node: 'one' } },
        one: { kind: 'call', input_mapping: { item: 'input.item' } },
      },
      edges: [{ from: 'a', to: 'each', condition: 'size(state.a.rows) == 20' }],
    });
    await svc.settle();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'completed');
    t.is(items.length, 20);
  });

  test(`${dialect}: an edge may look into a large list by position`, async (t) => {
    const svc = openTestEngine({
      store: await open(t),
      run: async ({ nodeId }) => ({
        ok: true,
        output: nodeId === 'a' ? [{ name: 'x' }, { name: PAGE }] : {},
        statePatch: {},
      }),
    });
    for (const condition of ['output[0].name == "x"', 'output.exists(row, row.name == "x")']) {
      const nodes = { a: { kind: 'call' }, b: { kind: 'call' } };
      const executionId = await svc.start({ nodes, edges: [{ from: 'a', to: 'b', condition }] });
      await svc.settle();
      t.true((await svc.story(executionId)).includes('NodeCompleted b'), condition);
    }
  });

  test(`${dialect}: a prompt has the text of what it names, however it comes to it`, async (t) => {
    const store = await open(t);
    const doc = { doc: '$.report.page' };
    for (const [asked, input_mapping] of [
      [{ prompt: 'Sum up {{ state.report }}' }, null],
      [{ prompt: 'Sum up {{ state }}' }, null],
      [{ prompt: 'Sum up {{ output }}' }, null],
      [{ prompt: 'Sum up {{ input.doc }}' }, doc],
      [{ prompt: 'Sum up {{ input }}' }, { doc: '$.report' }],
      [{ prompt_ref: 'sum_state' }, null],
      [{ prompt_ref: 'sum_input' }, doc],
      [{ prompt_ref: '$.report.page' }, null],
      [{}, doc],
      [{}, null],
    ] as const) {
      const prompts: string[] = [];
      const svc = openTestEngine({
        store,
        run: async () => ({ ok: true, output: { status: 'ok', page: PAGE }, statePatch: {} }),
        runners: new Map([
          [
            'model',
            {
              async run({ payload }) {
                prompts.push(JSON.stringify(payload['messages']));
                return { ok: true, output: {}, statePatch: {} };
              },
            },
          ],
        ]),
      });
      await svc.start({
        models: { m: { provider: 'openai', model: 'gpt-5' } },
        prompts: {
          sum_state: 'Sum up {{ state.report.page }}',
          sum_input: 'Sum up {{ input.doc }}',
        },
        nodes: {
          a: { kind: 'call', output_key: 'report' },
          b: { kind: { type: 'model', model_ref: 'm', ...asked }, input_mapping },
        },
        edges: [{ from: 'a', to: 'b' }],
      });
      await svc.settle();
      t.true(
        prompts[0]?.includes(PAGE),
        `${JSON.stringify(asked)} gave ${prompts[0]?.slice(0, 200)}`,
      );
    }
  });

  test(`${dialect}: a separate rule of a policy is judged by the value`, async (t) => {
    const rows = Array.from({ length: 20 }, () => PAGE.slice(0, 9_000));
    const svc = openTestEngine({
      store: await open(t),
      run: async () => ({ ok: true, output: { rows }, statePatch: {} }),
    });
    const executionId = await svc.start({
      policies: { few: { rules: [{ condition: 'size(state.a.rows) > 10' }] } },
      nodes: {
        a: { kind: 'call', output_key: 'a' },
        b: { kind: { type: 'policy', policy_ref: 'few' } },
      },
      edges: [{ from: 'a', to: 'b' }],
    });
    await svc.settle();
    const { row } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.is(row.status, 'completed', row.error ?? '');
  });

  test(`${dialect}: an outcome that is refused and settled again is the same`, async (t) => {
    const store = await open(t);
    let cuts = 2;
    const flaky = {
      ...store,
      executions: {
        ...store.executions,
        commit: async (plans: Parameters<typeof store.executions.commit>[0]) => {
          const settles = plans.some((plan) => plan.settles.length > 0);
          if (!settles || cuts === 0) return store.executions.commit(plans);
          cuts -= 1;
          return plans.map(() => ({ accepted: false, reason: 'moved', existing: null }) as const);
        },
      },
    };
    const svc = openTestEngine({
      store: flaky,
      run: async (): Promise<NodeOutcome> => ({
        ok: true,
        output: { page: PAGE },
        statePatch: {},
      }),
    });
    const executionId = await svc.start({ nodes: { a: { kind: 'call', output_key: 'a' } } });
    await svc.settle();
    t.is(cuts, 0);
    const { state } = await svc.engine.readExecution({ tenantId: TENANT, executionId });
    t.deepEqual(state.data, { a: { page: PAGE } });
  });
}
