import test, { type ExecutionContext } from 'ava';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { GivenRules } from '../../../../src/shared/domain/workflow/flow/given-rules.ts';
import { PLACES_TOPIC } from '../../../../src/shared/engine/wake/wake-bus.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, TENANT } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { changeTable, openTestStore } from '../../../support/stores.ts';

/* The limits of the version that is registered last count for executions of all versions that wait. */

const BY = { tenantId: TENANT, actorId: 'token:t' };
const WORKFLOW = 'limited';

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a limit that is raised lets those begin that wait`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 1 } });
    const all = await svc.start(4);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.register('2', { concurrency: { limit: 3 } });
    t.deepEqual(await svc.begun(all), all.slice(0, 3));
    t.is((await svc.store.flow.find(idAt(all, 3)))?.placesMax, 3);
  });

  test(`${dialect}: a limit that is lowered holds back those that wait, and ends nobody`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 3 } });
    const all = await svc.start(6);
    t.deepEqual(await svc.begun(all), all.slice(0, 3));
    await svc.register('2', { concurrency: { limit: 1 } });
    await svc.end(idAt(all, 0));
    await svc.end(idAt(all, 1));
    t.deepEqual(await svc.begun(all), all.slice(0, 3));
    await svc.end(idAt(all, 2));
    t.deepEqual(await svc.begun(all), all.slice(0, 4));
  });

  test(`${dialect}: a version without the limits lifts them`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 1 }, rate: { limit: 1, per: '1d' } });
    const all = await svc.start(5);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.register('2', {});
    t.deepEqual(await eventually(() => svc.allBegun(all)), all);
  });

  test(`${dialect}: a version that lifts the limits is looked at without waiting for the next poll`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 1 } });
    await svc.settle();
    let hints = 0;
    svc.wake.subscribe(PLACES_TOPIC, () => void (hints += 1));
    await svc.register('2', {});
    await svc.settle();
    t.is(hints, 1);
  });

  test(`${dialect}: a rate that is raised lets those begin that wait`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { rate: { limit: 1, per: '1d' } });
    const all = await svc.start(3);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.register('2', { rate: { limit: 1_000_000, per: '1s' } });
    t.deepEqual(await eventually(() => svc.allBegun(all)), all);
  });

  test(`${dialect}: an empty bucket stays empty when its rate is lowered or raised`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { rate: { limit: 24, per: '1d', burst: 2 } });
    const all = await svc.start(4);
    t.deepEqual(await svc.begun(all), all.slice(0, 2));
    await svc.register('2', { rate: { limit: 1, per: '1d', burst: 5 } });
    t.deepEqual(await svc.begun(all), all.slice(0, 2));
    t.is(await svc.nextTokenIn(), '24 hours');
    await svc.register('3', { rate: { limit: 8, per: '1d', burst: 1 } });
    t.deepEqual(await svc.begun(all), all.slice(0, 2));
    t.is(await svc.nextTokenIn(), '3 hours');
  });

  test(`${dialect}: a bucket with tokens keeps them, up to the new burst`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { rate: { limit: 24, per: '1d', burst: 6 } });
    const first = await svc.start(2);
    t.deepEqual(await svc.begun(first), first);
    await svc.register('2', { rate: { limit: 1, per: '1d', burst: 50 } });
    const second = await svc.start(2);
    t.deepEqual(await svc.begun(second), second);
    await svc.register('3', { rate: { limit: 2, per: '1d', burst: 1 } });
    const third = await svc.start(2);
    t.deepEqual(await svc.begun(third), third.slice(0, 1));
    t.is(await svc.nextTokenIn(), '12 hours');
  });

  test(`${dialect}: a changed limit leaves the tokens as they are`, async (t) => {
    const svc = await open(t, dialect);
    const rate = { limit: 24, per: '1d', burst: 1 };
    await svc.register('1', { rate });
    const all = await svc.start(2);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.passHours(0.5);
    await svc.register('2', { rate, concurrency: { limit: 1 } });
    t.is(await svc.nextTokenIn(), '0.5 hours');
  });

  test(`${dialect}: the rate of another workflow moves no bucket`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { rate: { limit: 24, per: '1d', burst: 1 } });
    const all = await svc.start(2);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    for (const other of [`${WORKFLOW}-2`, `${WORKFLOW}"`, `${WORKFLOW}\\`]) {
      await svc.register('1', { rate: { limit: 1, per: '1s' } }, other);
      await svc.register('2', { rate: { limit: 1_000, per: '1s' } }, other);
    }
    t.is(await svc.nextTokenIn(), '1 hours');
  });

  test(`${dialect}: a start of an older version and a fork wait for the limit in force`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 5 } });
    const first = await svc.start(1);
    await svc.register('2', { concurrency: { limit: 1 } });
    const pinned = await svc.start(1, { version: '1' });
    const forked = await svc.engine.forkExecution({
      ...BY,
      executionId: idAt(first, 0),
      at: { sequence: 1 },
      statePatch: null,
      revision: 'same',
      idempotencyKey: null,
    });
    t.deepEqual(await svc.begun([...first, ...pinned, forked.executionId]), first);
  });

  test(`${dialect}: one that waits for its time or its debounce joins the queue under the limit in force`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {
      concurrency: { limit: 5 },
      debounce: { key: 'input.n', wait: '1h' },
    });
    const debounced = await svc.start(2);
    await svc.register('2', { concurrency: { limit: 5 } });
    const delayed = await svc.start(2, { after: '1h' });
    await svc.register('3', { concurrency: { limit: 1 } });
    await svc.passHours(2);
    t.is((await svc.begun([...debounced, ...delayed])).length, 1);
  });

  test(`${dialect}: a registration leaves the limits that starts brought`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {});
    const limited = await svc.start(3, { rules: { concurrency: { limit: 1 } } });
    const rate = { key: "'paced'", limit: 1, per: '1d' };
    const paced = await svc.start(2, { rules: { rate } });
    const debounce = { key: 'input.n', wait: '1h' };
    const debounced = await svc.start(1, { rules: { concurrency: { limit: 1 }, debounce, rate } });
    const delayed = await svc.start(1, { after: '1h', rules: { concurrency: { limit: 1 } } });
    const all = [...limited, ...paced, ...debounced, ...delayed];
    const first = [idAt(limited, 0), idAt(paced, 0)];
    t.deepEqual(await svc.begun(all), first);
    await svc.register('2', { concurrency: { limit: 9 }, rate: { limit: 1_000_000, per: '1s' } });
    t.deepEqual(await svc.begun(all), first);
    await svc.register('3', {});
    t.deepEqual(await svc.begun(all), first);
    await svc.passHours(2);
    t.deepEqual(await svc.begun(all), first);
    await svc.end(idAt(limited, 0));
    t.deepEqual(await svc.begun(all), [...limited.slice(0, 2), idAt(paced, 0)]);
    t.is((await svc.store.flow.find(idAt(delayed, 0)))?.placesMax, 1);
    t.is((await svc.store.flow.find(idAt(debounced, 0)))?.placesMax, 1);
    t.true((await svc.store.flow.find(idAt(debounced, 0)))?.isPaced);
  });

  test(`${dialect}: it changes the limit of the definition beside those that starts brought`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 1 } });
    const all = await svc.start(3, { rules: { rate: { limit: 2, per: '1d' } } });
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.register('2', { concurrency: { limit: 3 } });
    t.deepEqual(await svc.begun(all), all.slice(0, 2));
  });

  test(`${dialect}: at the front of a line, the limit of a start holds for those behind it`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {});
    const first = await svc.start(1, { rules: { concurrency: { limit: 1 } } });
    const strict = await svc.start(1, { rules: { concurrency: { limit: 1 } } });
    const loose = await svc.start(2, { rules: { concurrency: { limit: 3 } } });
    const all = [...first, ...strict, ...loose];
    t.deepEqual(await svc.begun(all), first);
    await svc.end(idAt(first, 0));
    t.deepEqual(await svc.begun(all), all);
  });

  test(`${dialect}: a rate of a start waits for no token of a slower one`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {});
    const slow = await svc.start(1, { rules: { rate: { limit: 1, per: '1d' } } });
    t.deepEqual(await svc.begun(slow), slow);
    const fast = await svc.start(2, { rules: { rate: { limit: 1_000_000, per: '1s' } } });
    t.deepEqual(await eventually(() => svc.allBegun(fast)), fast);
  });

  test(`${dialect}: a registration leaves the limits that the starts of a batch brought`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {});
    const rate = { limit: 1, per: '1d' };
    const rules = { batch: { max: 2, wait: '1h' }, concurrency: { limit: 2 }, rate };
    const all = await svc.start(3, { rules });
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    await svc.register('2', { concurrency: { limit: 9 }, rate: { limit: 1_000_000, per: '1s' } });
    await svc.passHours(2);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
    t.like(await svc.store.flow.find(idAt(all, 2)), { placesMax: 2, isPaced: true, batch: null });
    await svc.passHours(22);
    t.deepEqual(await svc.begun(all), [idAt(all, 0), idAt(all, 2)]);
  });

  test(`${dialect}: rules of starts and of definitions share no place, token, wait or batch`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', {});
    const rate = { limit: 1, per: '1d' };
    const strict = { concurrency: { limit: 1 }, rate };
    await svc.register('2', strict);
    const of = await svc.start(2, { version: '2' });
    const brought = await svc.start(2, { version: '1', rules: strict });
    const newest = { concurrency: { limit: 1, when_full: 'cancel_oldest' } };
    const limited = await svc.start(1, { version: '1', rules: newest });
    const all = [...of, ...brought, ...limited];
    t.deepEqual(await svc.begun(all), [idAt(of, 0), idAt(brought, 0), idAt(limited, 0)]);
    t.deepEqual(await Promise.all(of.map(async (id) => (await svc.story(id)).length)), [3, 1]);
    const waits = [{ debounce: { wait: '1h' } }, { batch: { max: 2, wait: '1h' } }];
    for (const [index, rules] of waits.entries()) {
      const version = `3.${index}`;
      await svc.register(version, rules);
      const [own] = await svc.start(1, { version });
      await svc.start(1, { version: '1', rules });
      await svc.settle();
      t.deepEqual(own && (await svc.story(own)), ['WorkflowStarted']);
    }
  });

  test(`${dialect}: the same definition again, and another workflow, change no limit`, async (t) => {
    const svc = await open(t, dialect);
    await svc.register('1', { concurrency: { limit: 1 } });
    const all = await svc.start(2);
    await svc.register('1', { concurrency: { limit: 1 } });
    await svc.register('1', {}, `${WORKFLOW}-2`);
    await svc.register('1', {}, `${WORKFLOW}"`);
    t.deepEqual(await svc.begun(all), all.slice(0, 1));
  });
}

async function open(t: ExecutionContext, dialect: Dialect) {
  const { store, url, close, age } = await openTestStore(dialect);
  const change = changeTable(url);
  t.teardown(close);
  const svc = openTestEngine({ store });
  const kind = { type: 'wait', condition: 'external_event', correlation_key: 'go' };
  async function begun(of: readonly ExecutionId[]): Promise<readonly ExecutionId[]> {
    await svc.settle();
    const found: ExecutionId[] = [];
    for (const id of of) {
      if ((await svc.story(id)).includes('NodeScheduled go')) found.push(id);
    }
    return found;
  }

  return {
    ...svc,
    async register(version: string, rules: JsonObject, workflowId = WORKFLOW) {
      const ir = { workflow_id: workflowId, version, nodes: { go: { kind } }, ...rules };
      await svc.engine.registerWorkflow({ ...BY, ir });
    },
    async start(
      count: number,
      {
        version = null,
        after,
        rules,
      }: {
        readonly version?: string | null;
        readonly after?: string;
        readonly rules?: GivenRules;
      } = {},
    ): Promise<readonly ExecutionId[]> {
      const ids: ExecutionId[] = [];
      for (let n = 0; n < count; n += 1) {
        const given = { workflowVersion: version, input: { n }, priority: 5, idempotencyKey: null };
        const times = after !== undefined && { startTimes: { after } };
        const brings = rules !== undefined && { startRules: rules };
        const of = { ...BY, workflowId: WORKFLOW, ...given, ...times, ...brings };
        ids.push((await svc.engine.startExecution(of)).executionId);
      }
      return ids;
    },
    begun,
    /** Throws until all of them have begun: a token comes with the time of the database. */
    async allBegun(of: readonly ExecutionId[]): Promise<readonly ExecutionId[]> {
      const found = await begun(of);
      if (found.length < of.length) throw new Error(`${found.length} have begun`);
      return found;
    },
    async end(executionId: ExecutionId): Promise<void> {
      await svc.engine.cancelExecution({ ...BY, executionId });
      await svc.settle();
    },
    async passHours(hours: number): Promise<void> {
      const byMs = hours * 3_600_000;
      await age({ table: 'timers', columns: ['due_at'], byMs });
      await age({ table: 'flow_waits', columns: ['due_at'], byMs });
      await change(`update quota_buckets set full_at_us = full_at_us - ${byMs * 1_000}`);
    },
    async nextTokenIn(): Promise<string> {
      const { keys } = await store.flow.listKeys({ limit: 9, lines: 9, batchBytesMax: 1_000 });
      return `${Math.round((keys[0]?.nextTokenMs ?? 0) / 360_000) / 10} hours`;
    },
  };
}

function idAt(ids: readonly ExecutionId[], index: number): ExecutionId {
  const id = ids[index];
  if (id === undefined) throw new Error(`there is no execution ${index}`);
  return id;
}
