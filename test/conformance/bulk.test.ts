import { onBothStores } from '../support/both-stores.ts';

/* Addition: one action on many executions, over HTTP. */

const check = onBothStores();
const call = { kind: { type: 'python_fn', module: 'm', function: 'f' } };

interface Bulk {
  readonly results: readonly {
    readonly execution_id: string;
    readonly outcome: string;
    readonly error: string | null;
    readonly retried_as: string | null;
    readonly ending?: { readonly outcome: string };
  }[];
  readonly next_cursor: string | null;
  readonly total: number | null;
  readonly total_is_exact: boolean;
}

check('200: many executions are acted upon, page by page', async (t, svc) => {
  const workflowId = await svc.register({ workflow_id: 'many', nodes: { a: call } });
  const other = await svc.run({ nodes: { a: call } });
  const ids: string[] = [];
  for (let made = 0; made < 5; made += 1) ids.push(await svc.start(workflowId));
  const act = async (action: string, more: object = {}) => {
    const found: Bulk['results'][number][] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 10; page += 1) {
      const reply: { readonly status: number; readonly body: Bulk } = await svc.post<Bulk>(
        '/executions/bulk',
        { action, filter: { workflow_id: workflowId }, max: 2, cursor, ...more },
      );
      t.is(reply.status, 200);
      t.true(reply.body.results.length <= 2);
      found.push(...reply.body.results);
      cursor = reply.body.next_cursor;
      if (cursor === null) break;
    }
    return found;
  };
  const paused = await act('pause', { reason: 'all of them' });
  t.deepEqual(paused.map(({ execution_id: id }) => id).toSorted(), ids.toSorted());
  t.true(paused.every(({ outcome }) => outcome === 'done'));
  for (const id of ids) t.is((await svc.read(id)).pauses[0]?.reason, 'all of them');
  t.is((await act('resume')).length, 5);
  t.is((await act('cancel')).length, 5);
  t.deepEqual(await act('cancel'), []);
  t.is((await svc.read(other)).status, 'running');

  const retried = await act('retry', { filter: { workflow_id: workflowId, status: 'cancelled' } });
  t.true(retried.every(({ retried_as: next }) => next !== null));
  // A repetition names the existing retry of each execution, and starts no other.
  const again = await act('retry', { filter: { workflow_id: workflowId, status: 'cancelled' } });
  t.true(again.every(({ outcome }) => outcome === 'refused'));
  t.deepEqual(
    again.map(({ retried_as: next }) => next),
    retried.map(({ retried_as: next }) => next),
  );
});

check('200: a cancel says which executions end later, after their undos', async (t, svc) => {
  const nodes = { a: { ...call, undo: call }, b: call };
  const undoes = await svc.run({ nodes, start_node: 'a', edges: [{ from: 'a', to: 'b' }] });
  await svc.work('a');
  await svc.untilEvent(undoes, 'NodeCompleted', 'a');
  const ends = await svc.run({ nodes: { a: call } });
  const filter = { q: `id in (${undoes}, ${ends})` };
  const { body } = await svc.post<Bulk>('/executions/bulk', { action: 'cancel', filter });
  const endingOf = (id: string) =>
    body.results.find(({ execution_id: of }) => of === id)?.ending ?? null;
  t.is(body.results.length, 2);
  t.deepEqual(endingOf(undoes), { outcome: 'cancelled' });
  t.is(endingOf(ends), null);
  t.is((await svc.read(undoes)).status, 'running');
  t.is((await svc.read(ends)).status, 'cancelled');
  await svc.work('a.undo');
  await svc.until(undoes, 'cancelled');
});

check('200: a dry run changes nothing, and counts', async (t, svc) => {
  const workflowId = await svc.register({ workflow_id: 'many', nodes: { a: call } });
  for (let made = 0; made < 3; made += 1) await svc.start(workflowId);
  const { body } = await svc.post<Bulk>('/executions/bulk', {
    action: 'cancel',
    filter: { workflow_id: workflowId },
    dry_run: true,
    max: 2,
  });
  t.like(body, { total: 3, total_is_exact: true, next_cursor: null });
  t.is(body.results.length, 2);
  for (const { execution_id: id, outcome } of body.results) {
    t.is(outcome, 'previewed');
    t.is((await svc.read(id)).status, 'running');
  }
});

check('400: no filter, and an action, a limit or a cursor that is none', async (t, svc) => {
  const filter = { workflow_id: 'nobody' };
  for (const wrong of [
    { action: 'delete', filter },
    { action: 'cancel', filter, max: 0 },
    { action: 'cancel', filter, max: 501 },
    { action: 'cancel', filter, cursor: 'x' },
    { action: 'cancel', filter, cursor: 'running.x' },
    { action: 'cancel' },
    { action: 'cancel', filter: {} },
    { action: 'cancel', filter: { workflow_id: null, status: null } },
    { action: 'cancel', filter: { q: '' } },
    { action: 'cancel', filter: { q: ' \n', status: null }, dry_run: true },
    { action: 'cancel', filter: { parent_execution_id: 'x' } },
    { action: 'cancel', filter: { ...filter, staus: 'paused' } },
    { action: 'cancel', filter: { created_after: 'yesterday' } },
  ]) {
    t.is((await svc.post('/executions/bulk', wrong)).status, 400, JSON.stringify(wrong));
  }
});
