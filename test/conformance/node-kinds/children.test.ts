import { readFileSync } from 'node:fs';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import type { TestTenant } from '../../support/tenant.ts';
import { toldBy } from '../../support/told.ts';
import type { Execution, ExecutionSummary } from '../../support/wire.ts';

/* Workflows that run others: a single one, one per item, and one after the other. */

const check = onBothStores();

/** Registers a workflow of the repository unchanged, under its own name. */
async function registerExample(svc: TestTenant, name: string): Promise<string> {
  const file = new URL(`../../../examples/workflows/${name}.json`, import.meta.url);
  return svc.register(JSON.parse(readFileSync(file, 'utf8')) as JsonObject);
}

async function childrenOf(svc: TestTenant, id: string) {
  const { body } = await svc.get<{ readonly executions: readonly ExecutionSummary[] }>(
    `/executions?parent_execution_id=${id}`,
  );
  return body.executions.toReversed();
}

check('subgraph: the example runs, and the child shows whose it is', async (t, svc) => {
  await registerExample(svc, 'pass');
  const id = await svc.start(await registerExample(svc, 'subgraph'), { customer: 'Ada' });
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(state, { customer: 'Ada', greeting: 'Hello, Ada' });
  const [child, ...others] = await childrenOf(svc, id);
  t.deepEqual(others, []);
  t.like(child, { workflow_id: 'example-pass', status: 'completed', parent_execution_id: id });
  const events = await svc.events(id);
  const started = events.find(({ kind }) => kind === 'ChildWorkflowStarted');
  t.is(started?.payload['child_execution_id'], child?.execution_id);
  t.deepEqual(await childrenOf(svc, 'nobody'), []);
  return toldBy(events);
});

check('subgraph: a cancel of the parent cancels the child it waits for', async (t, svc) => {
  const child = await svc.register({
    workflow_id: 'child',
    nodes: { w: { kind: 'human_approval' } },
  });
  const id = await svc.run({ nodes: { sub: { kind: 'subgraph', workflow_ref: child } } });
  const { payload } = await svc.untilEvent(id, 'ChildWorkflowStarted', 'sub');
  const childId = payload['child_execution_id'] as string;
  await svc.until(childId, 'paused');
  const { waiting_on: waiting } = await svc.until(id, 'running');
  t.like(waiting, [{ node_id: 'sub', waiting_for: 'child', child_execution_id: childId }]);
  const { status } = await svc.post(`/executions/${id}/cancel`);
  t.is(status, 200);
  await svc.until(childId, 'cancelled');
  return [await svc.story(id), await svc.story(childId)];
});

check('map: a workflow for each item, as the example says', async (t, svc) => {
  await registerExample(svc, 'pass');
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
  const id = await svc.start(await registerExample(svc, 'map-children'), { names });
  const { state } = await svc.until(id, 'completed');
  t.deepEqual(
    state['greetings'],
    names.map((name) => `Hello, ${name}`),
  );
  const children = await childrenOf(svc, id);
  t.is(children.length, 40);
  const kinds = (await svc.story(id)).map((line) => line.split(' ')[0] ?? '');
  return Object.entries(Object.groupBy(kinds, (kind) => kind))
    .map(([kind, all]) => `${kind} ${all?.length}`)
    .toSorted();
});

check('continue_as_new: the example continues until it has counted', async (t, svc) => {
  const first = await svc.start(await registerExample(svc, 'continue-as-new'), { n: 0 });
  const stories = [];
  for (let id: string | null = first, from: string | null = null; id !== null;) {
    const run: Execution = await svc.until(id, 'completed');
    t.is(run.continued_from, from);
    t.deepEqual(run.input, { n: 0 });
    const events = await svc.events(id);
    t.true(events.length < 510);
    stories.push([events.length, run.state]);
    from = id;
    id = run.continued_as;
  }
  t.is(stories.length, 4);
  t.deepEqual(stories.at(-1)?.[1], { n: 1000 });
  t.is((await svc.post(`/executions/${first}/cancel`)).status, 400);
  return stories;
});
