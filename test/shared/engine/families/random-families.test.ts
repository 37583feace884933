import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { CALLER, openScene } from './child-scene.ts';

/* Random workflows that run each other end, with the same result on both stores. */

const FAMILY = 4;
const RUNS = 25;

const node = fc.record({
  kind: fc.constantFrom('pass', 'call', 'failing', 'sub', 'sub', 'forgiving', 'map', 'lenient_map'),
  isParallel: fc.boolean(),
});
const family = fc.record({
  workflows: fc.array(fc.array(node, { minLength: 1, maxLength: 3 }), {
    minLength: FAMILY,
    maxLength: FAMILY,
  }),
  afterEvents: fc.constantFrom(null, 'state.n > 0'),
});

type Node = { readonly kind: string; readonly isParallel: boolean };

/** Workflow number `level` runs only workflows with greater numbers. */
function workflowOf(level: number, nodes: readonly Node[], when: string | null): JsonObject {
  const ids = nodes.map((_, index) => `n${index}`);
  const parallel = ids.filter((_, index) => nodes[index]?.isParallel);
  const chain = ids.filter((id) => !parallel.includes(id));
  return {
    workflow_id: `w${level}`,
    start_node: 'begin',
    nodes: {
      begin: { kind: { type: 'pass', output: { n: { expr: 'has(state.n) ? state.n + 1 : 1' } } } },
      ...Object.fromEntries(
        nodes.map(({ kind }, index) => [
          `n${index}`,
          // Not the state: it has the outputs of siblings, in the order of their turns.
          { kind: kindOf(kind, level), output_key: `of_n${index}`, input_mapping: { level } },
        ]),
      ),
    },
    edges: [
      ...parallel.map((to) => ({ from: 'begin', to })),
      ...chain.map((to, index) => ({ from: chain[index - 1] ?? 'begin', to })),
    ],
    ...(when !== null && { continue_as_new: { when } }),
  };
}

function kindOf(kind: string, level: number): JsonObject {
  const workflow_ref = `w${level + 1}`;
  const isLast = level === FAMILY - 1;
  const items = [1, 2, 3];
  switch (kind) {
    case 'call':
      return { type: 'call' };
    case 'failing':
      return { type: 'call', fails: true };
    case 'sub':
      return isLast ? { type: 'call' } : { type: 'subgraph', workflow_ref };
    case 'forgiving':
      return { type: 'subgraph', workflow_ref, on_child_failure: 'complete' };
    case 'map':
      return isLast ? { type: 'call' } : { type: 'map', items, workflow_ref, max_concurrency: 2 };
    case 'lenient_map':
      return { type: 'map', items, workflow_ref, on_item_failure: 'collect' };
    default:
      return { type: 'pass' };
  }
}

/** The results of the families; ids and the turns of siblings may differ. */
async function runFamily(
  t: ExecutionContext,
  dialect: 'sqlite' | 'postgres',
  families: readonly {
    readonly workflows: readonly (readonly Node[])[];
    readonly afterEvents: string | null;
  }[],
): Promise<readonly JsonObject[]> {
  const svc = await openScene(t, dialect, {
    run: async ({ payload }) =>
      payload['fails'] === true
        ? { ok: false, error: 'no', errorClass: 'x', final: true }
        : { ok: true, output: { done: true }, statePatch: {} },
  });
  const results: JsonObject[] = [];
  for (const { workflows, afterEvents } of families) {
    for (const [level, nodes] of workflows.entries()) {
      const { workflow_id: id, ...ir } = workflowOf(level, nodes, afterEvents);
      await svc.register(id as string, ir);
    }
    const { executionId } = await svc.engine.startExecution({
      ...CALLER,
      workflowId: 'w0',
      workflowVersion: null,
      input: {},
      priority: 5,
      idempotencyKey: null,
    });
    await svc.settle();
    results.push(await told(svc, executionId));
  }
  t.deepEqual(svc.troubles, []);
  t.is(await svc.store.timers.nextDueInMs(), null);
  return results;
}

type Scene = Awaited<ReturnType<typeof openScene>>;

async function told(svc: Scene, executionId: ExecutionId): Promise<JsonObject> {
  const { status, data, state } = await svc.read(executionId);
  if (state.continuedAs !== null) return told(svc, state.continuedAs);
  const story = await svc.story(executionId);
  if (!['completed', 'failed'].includes(status)) throw new Error(`stuck: ${story.join(', ')}`);
  for (const child of await svc.children(executionId)) {
    if (child.completedAt === null) throw new Error(`${child.executionId} outlives its parent`);
  }
  // The turns of siblings determine which failure comes first.
  if (status === 'failed') return { status };
  // They also determine when a run continues as another, and the remaining events of the last run.
  const events = state.continuedFrom === null ? story.toSorted() : null;
  const text = JSON.stringify({ status, data, story: events })
    .replaceAll(/exec_[0-9a-f]{32}/g, 'exec')
    .replaceAll(/"error":"[^"]*"/g, '"error":"…"');
  return JSON.parse(text) as JsonObject;
}

test('families of workflows end, and end alike on both stores', async (t) => {
  t.timeout(180_000);
  const families = fc.sample(family, RUNS);
  const [sqlite, postgres] = await Promise.all([
    runFamily(t, 'sqlite', families),
    runFamily(t, 'postgres', families),
  ]);
  for (const [index, of] of families.entries()) {
    t.deepEqual(postgres[index], sqlite[index], JSON.stringify(of));
  }
  t.true(sqlite.filter(({ status }) => status === 'completed').length > 3);
});
