import type { JsonObject } from '../../src/shared/domain/json.ts';
import { claimTurn, FUNCTION, record } from '../support/functions.ts';
import { onBothStores } from '../support/both-stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { masked } from '../support/told.ts';

/* A trip is booked in three steps; when one fails, or somebody cancels, the others are undone. */

const check = onBothStores();
const once = { retry_policy: 'no_retry' };
const booking = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: { type: 'python_fn', module: 'trip', function: `book_${name}` },
  output_key: name,
  undo: {
    kind: { type: 'python_fn', module: 'trip', function: `cancel_${name}` },
    input_mapping: { id: '$output.id', why: { expr: 'execution.outcome' } },
    ...once,
  },
  ...once,
  ...more,
});
const TRIP = {
  start_node: 'flight',
  nodes: { flight: booking('flight'), hotel: booking('hotel'), car: booking('car') },
  edges: [
    { from: 'flight', to: 'hotel' },
    { from: 'hotel', to: 'car' },
  ],
};

const CAUSE = {
  error: 'node car failed: no cars left',
  error_class: 'error',
  node_id: 'car',
};

async function bookTwo(svc: TestTenant): Promise<string> {
  const id = await svc.run(TRIP);
  await svc.work('flight', { id: 'f1' });
  await svc.work('hotel', { id: 'h1' });
  return id;
}

check(
  'undo: a failure undoes what is booked, the last first, and keeps its cause',
  async (t, svc) => {
    const id = await bookTwo(svc);
    await svc.breakDown('car', { error: 'no cars left' });
    const hotel = await svc.claimOf('hotel.undo');
    t.deepEqual(hotel.payload['input'], { id: 'h1', why: 'failed' });
    t.like(expectStatus(await svc.get(`/executions/${id}`), 200), {
      status: 'running',
      ending: { outcome: 'failed' },
      failure: CAUSE,
      undo: { pending: 1, under_way: 1, undone: 0, not_undone: [] },
    });
    const head = `/executions/${id}?view=head`;
    t.like(expectStatus(await svc.get(head), 200), { state: {}, failure: CAUSE });
    t.like(expectStatus(await svc.get(`/executions/${id}/explain`), 200), {
      ending: { outcome: 'failed' },
      failure: CAUSE,
    });
    expectStatus(await svc.complete(hotel), 200);
    await svc.work('flight.undo');
    t.like(await svc.until(id, 'failed'), {
      error: 'node car failed: no cars left',
      failure: CAUSE,
      undo: { pending: 0, undone: 2, not_undone: [] },
    });
    t.like(expectStatus(await svc.get(head), 200), { state: {}, failure: CAUSE });
    t.like(expectStatus(await svc.get(`/executions/${id}/explain`), 200), {
      ended: {
        error: 'node car failed: no cars left',
        message: 'it failed: node car failed: no cars left; 2 steps are undone',
      },
    });
    return masked(await svc.events(id));
  },
);

check(
  'undo: a cancel undoes what is booked, and a cancel meanwhile changes nothing',
  async (t, svc) => {
    const id = await bookTwo(svc);
    expectStatus(await svc.cancel(id), 200);
    const hotel = await svc.claimOf('hotel.undo');
    expectStatus(await svc.cancel(id), 200);
    expectStatus(await svc.complete(hotel), 200);
    await svc.work('flight.undo');
    t.like(await svc.until(id, 'cancelled'), { error: null, undo: { undone: 2 } });
    return masked(await svc.events(id));
  },
);

check(
  'undo: an undo without attempts is a dead letter, and a requeue continues it',
  async (t, svc) => {
    const id = await bookTwo(svc);
    await svc.breakDown('car');
    await svc.breakDown('hotel.undo', { error: 'desk closed' });
    await svc.work('flight.undo');
    const path = '/work-items?status=dead_lettered&node_id=hotel.undo';
    const { work_items: dead } = expectStatus(
      await svc.get<{ work_items: (JsonObject & { id: string })[] }>(path),
      200,
    );
    t.like(dead, [{ execution_id: id, error: 'desk closed', handled: false }]);
    t.deepEqual(dead[0]?.['undoes'], {
      node_id: 'hotel',
      visit: 0,
      input: { id: 'h1', why: 'failed' },
      output: { id: 'h1' },
      omitted: [],
    });
    t.like(expectStatus(await svc.get(`/executions/${id}/explain`), 200), {
      ending: { outcome: 'failed' },
      blockers: { 0: { code: 'dead_lettered', node_id: 'hotel.undo' } },
    });
    const read = await readLetter(svc);
    t.deepEqual([read['id'], read['undoes']], [dead[0]?.id, dead[0]?.['undoes']]);
    t.deepEqual(read['input'], { id: 'h1', why: 'failed' });
    t.like(read.actions, { requeue: { allowed: true }, give_up: { allowed: true } });
    expectStatus(await svc.post(`/work-items/${dead[0]?.id ?? ''}/requeue`), 200);
    await svc.work('hotel.undo');
    t.like(await svc.until(id, 'failed'), { undo: { undone: 2, not_undone: [] } });
    return masked(await svc.events(id));
  },
);

check('undo: an undo of other ends is not pending', async (t, svc) => {
  const nodes = { ...TRIP.nodes, flight: booking('flight', { undo_on: ['failed'] }) };
  const id = await svc.run({ ...TRIP, nodes });
  await svc.work('flight');
  await svc.work('hotel');
  t.like(await svc.read(id), { undo: { pending: 2 } });
  expectStatus(await svc.cancel(id), 200);
  const hotel = await svc.claimOf('hotel.undo');
  t.like(await svc.read(id), { undo: { pending: 0, under_way: 1 } });
  expectStatus(await svc.complete(hotel), 200);
  t.like(await svc.until(id, 'cancelled'), { undo: { undone: 1 } });
});

check('undo: data policies hide what a first cause quotes', async (t, svc) => {
  const id = await svc.run({ ...TRIP, data_policy: { detectors: ['email'] } });
  await svc.work('flight');
  await svc.work('hotel');
  await svc.breakDown('car', { error: 'no car for ada@example.com' });
  const hotel = await svc.claimOf('hotel.undo');
  const failure = { error: 'node car failed: no car for [email]' };
  t.like(expectStatus(await svc.get(`/executions/${id}`), 200), { failure });
  t.like(expectStatus(await svc.get(`/executions/${id}/explain`), 200), { failure });
  expectStatus(await svc.complete(hotel), 200);
  await svc.work('flight.undo');
  t.like(await svc.until(id, 'failed'), { failure });
});

/** The trip whose hotel.undo is a dead letter; `more` is of the hotel. */
async function undoingOf(svc: TestTenant, more: JsonObject, output: JsonObject) {
  await svc.run({ ...TRIP, nodes: { ...TRIP.nodes, hotel: booking('hotel', more) } });
  await svc.work('flight', { id: 'f1' });
  await svc.work('hotel', output);
  await svc.breakDown('car');
  await svc.breakDown('hotel.undo', { error: 'desk closed' });
  await svc.work('flight.undo');
  const path = '/work-items?status=dead_lettered&node_id=hotel.undo&limit=1';
  const { work_items: dead } = expectStatus(await svc.get<{ work_items: JsonObject[] }>(path), 200);
  return dead[0]?.['undoes'];
}

check('undo: a dead letter shows its values as the data policies let it', async (t, svc) => {
  const names = { node_id: 'hotel', visit: 0 };
  const fields = { data_policy: { pii_fields: ['id', 'hotel.guest'] } };
  t.deepEqual(await undoingOf(svc, fields, { id: 'h1', guest: 'Ada', room: 7 }), {
    ...names,
    input: { id: '***', why: 'failed' },
    output: { id: '***', guest: '***', room: 7 },
    omitted: [],
  });
  const kept = { data_policy: { retain_outputs: false } };
  const hidden = { ...names, input: null, output: null, omitted: ['input', 'output'] };
  t.deepEqual(await undoingOf(svc, kept, { id: 'h1' }), hidden);
  t.deepEqual(await undoingOf(svc, {}, { id: 'h1', text: 'x'.repeat(5_000) }), {
    ...names,
    input: { id: 'h1', why: 'failed' },
    output: null,
    omitted: ['output'],
  });
  // One alone is shown with all of them.
  const { undoes } = await readLetter(svc);
  t.deepEqual(undoes, {
    ...names,
    input: { id: 'h1', why: 'failed' },
    output: { id: 'h1', text: 'x'.repeat(5_000) },
    omitted: [],
  });
});

/** The dead letter that was left last. */
async function readLetter(svc: TestTenant): Promise<JsonObject & { actions: JsonObject }> {
  const path = '/work-items?status=dead_lettered&node_id=hotel.undo&limit=1';
  const { work_items: dead } = expectStatus(
    await svc.get<{ work_items: { id: string }[] }>(path),
    200,
  );
  return expectStatus(await svc.get(`/work-items/${dead[0]?.id ?? ''}`), 200);
}

check(
  'undo: a cancel gives up dead letters once nothing else is left, and the end says so',
  async (t, svc) => {
    const id = await bookTwo(svc);
    await svc.breakDown('car');
    await svc.breakDown('hotel.undo', { error: 'desk closed' });
    const flight = await svc.claimOf('flight.undo');
    t.like((await readLetter(svc)).actions['give_up'], {
      allowed: false,
      reason: `execution ${id} is ending, and more than dead letters of undos is left to do`,
    });
    expectStatus(await svc.cancel(id), 200);
    expectStatus(await svc.complete(flight), 200);
    await svc.untilEvent(id, 'NodeCompleted', 'flight.undo');
    t.like((await readLetter(svc)).actions['give_up'], { allowed: true, reason: null });
    expectStatus(await svc.cancel(id), 200);
    t.like(await svc.until(id, 'failed'), {
      error: 'node car failed: it broke',
      undo: {
        undone: 1,
        not_undone: [{ node_id: 'hotel', visit: 0, error: 'given up: desk closed' }],
      },
    });
    return masked(await svc.events(id));
  },
);

check('undo: a retry runs the undone steps again, under new keys', async (t, svc) => {
  const id = await svc.run({
    ...TRIP,
    start_node: 'ask',
    nodes: { ...TRIP.nodes, ask: { kind: { type: 'python_fn', module: 'trip', function: 'ask' } } },
    edges: [{ from: 'ask', to: 'flight' }, ...TRIP.edges],
  });
  await svc.work('ask', {}, { state_patch: { to: 'Rome' } });
  const first = await svc.work('flight', { id: 'f1' });
  await svc.work('hotel', { id: 'h1' });
  await svc.breakDown('car');
  await svc.work('hotel.undo');
  await svc.work('flight.undo');
  await svc.until(id, 'failed');
  const { execution_id: again } = expectStatus(
    await svc.post<{ execution_id: string }>(`/executions/${id}/retry`),
    201,
  );
  const retried = expectStatus(await svc.get<JsonObject>(`/executions/${again}`), 200);
  t.deepEqual([retried['state'], retried['undo']], [{ to: 'Rome' }, null]);
  const second = await svc.work('flight', { id: 'f2' });
  t.not(second.idempotency_key, first.idempotency_key);
  await svc.work('hotel', { id: 'h2' });
  expectStatus(await svc.cancel(again), 200);
  const hotel = await svc.work('hotel.undo');
  const flight = await svc.work('flight.undo');
  t.like([hotel.payload['input'], flight.payload['input']], [{ id: 'h2' }, { id: 'f2' }]);
  await svc.until(again, 'cancelled');
});

check('undo: a retry keeps what no undo has undone, and an end of it can', async (t, svc) => {
  const nodes = { ...TRIP.nodes, flight: booking('flight', { undo_on: ['cancelled'] }) };
  const id = await svc.run({ ...TRIP, nodes });
  await svc.work('flight', { id: 'f1' });
  await svc.breakDown('hotel');
  await svc.until(id, 'failed');
  const { execution_id: again } = expectStatus(
    await svc.post<{ execution_id: string }>(`/executions/${id}/retry`),
    201,
  );
  await svc.work('hotel', { id: 'h2' });
  expectStatus(await svc.cancel(again), 200);
  await svc.work('hotel.undo');
  const flight = await svc.work('flight.undo');
  t.like(flight.payload['input'], { id: 'f1' });
  await svc.until(again, 'cancelled');
  const refused = await svc.post<{ error: { message: string } }>(`/executions/${again}/retry`);
  t.is(refused.status, 400);
});

check('undo: a retry runs the undone items of a map again, and the failed one', async (t, svc) => {
  const body = { ...booking('seat'), output_key: null, undo_on: ['failed'] };
  const kind = { type: 'map', items: 'input.seats', max_concurrency: 1, node: body };
  const id = await svc.run({ nodes: { all: { kind, output_key: 'all' } } }, { seats: [1, 2, 3] });
  await svc.work('all.item', { id: 's1' });
  await svc.work('all.item', { id: 's2' });
  await svc.breakDown('all.item');
  const undone = [await svc.work('all.item.undo'), await svc.work('all.item.undo')];
  t.like(
    undone.map(({ payload }) => payload['input']),
    [{ id: 's2' }, { id: 's1' }],
  );
  await svc.until(id, 'failed');
  const { execution_id: again } = expectStatus(
    await svc.post<{ execution_id: string }>(`/executions/${id}/retry`),
    201,
  );
  for (const name of ['t1', 't2', 't3']) await svc.work('all.item', { id: name });
  t.like(await svc.until(again, 'completed'), {
    state: { all: [{ id: 't1' }, { id: 't2' }, { id: 't3' }] },
  });
});

check(
  'undo: a durable function undoes a step, and a requeue continues its journal',
  async (t, svc) => {
    const flight = booking('flight', { undo: { ...FUNCTION, ...once } });
    const id = await svc.run({ ...TRIP, nodes: { ...TRIP.nodes, flight } });
    await svc.work('flight', { id: 'f1' });
    await svc.breakDown('hotel');
    const turn = await claimTurn(svc);
    t.deepEqual([turn.node_id, turn.payload['input']], ['flight.undo', { id: 'f1' }]);
    const entry = { identity: 'refund', kind: 'step', output: { refunded: 80 } };
    expectStatus(await record(svc, turn, [entry]), 200);
    expectStatus(await svc.fail(turn, { error: 'desk closed' }), 200);
    const { work_items: dead } = expectStatus(
      await svc.get<{ work_items: { id: string }[] }>('/work-items?status=dead_lettered&limit=1'),
      200,
    );
    t.is(dead[0]?.id, turn.id);
    expectStatus(await svc.post(`/work-items/${turn.id}/requeue`), 200);
    const again = await claimTurn(svc);
    t.like(again.journal.entries, [entry]);
    expectStatus(await svc.complete(again, { cancelled: true }), 200);
    t.like(await svc.until(id, 'failed'), { undo: { undone: 1, not_undone: [] } });
  },
);
