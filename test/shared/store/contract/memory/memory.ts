import { encodeSketch } from '../../../../../src/shared/domain/memory/sketch.ts';
import { encodeVector } from '../../../../../src/shared/domain/memory/vector.ts';
import { hashEndUser } from '../../../../../src/shared/domain/memory/end-user.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { axis } from '../../../../support/vectors.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce } from '../drive.ts';
import { makeTenantId, makeUuid } from '../make.ts';
import { addOne, HOLD_MS, makeFact } from './memory-make.ts';

const NOBODY = { agentId: null, endUserId: null };

export function memoryCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a fact is kept as it was given', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    const given = {
      factId: makeUuid(),
      agentId: makeUuid(),
      endUserId: 'Zoë',
      content: 'says "hi" – 你好',
      metadata: { n: 1.5, deep: { list: [null, true, ''] } },
    };
    const added = await addOne(memory, tenantId, given);
    t.deepEqual(added, { ...given, createdAt: added.createdAt });
    t.regex(added.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    t.deepEqual(await memory.list({ tenantId, limit: 10, before: null }), [added]);
    t.deepEqual(await memory.readFacts({ tenantId, ordinals: [1] }), [{ ...added, ordinal: 1 }]);
  });

  check('its vector comes back bit by bit', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    const [embedding, sketch] = [encodeVector(axis(5)), encodeSketch(axis(5))];
    await addOne(memory, tenantId, { embedding, sketch });
    const [vector] = await memory.readVectors({ tenantId, ordinals: [1, 2] });
    t.is(vector?.ordinal, 1);
    t.deepEqual([...(vector?.embedding ?? [])], [...embedding]);
    const [change] = await memory.listChanges({ tenantId, scope: NOBODY, after: 0, limit: 9 });
    t.deepEqual([...(change?.sketch ?? [])], [...sketch]);
  });

  check('facts are listed newest first, and read on without a gap', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    await addOne(memory, makeTenantId());
    await atOnce(12, () => addOne(memory, tenantId));
    const all = await memory.list({ tenantId, limit: 100, before: null });
    t.is(new Set(all.map(({ createdAt }) => createdAt)).size, 12);
    const times = all.map(({ createdAt }) => createdAt);
    t.deepEqual(times, times.toSorted().toReversed());
    const read = [];
    for (let before: string | null = null; ;) {
      const page: typeof all = await memory.list({ tenantId, limit: 5, before });
      read.push(...page);
      before = page.at(-1)?.createdAt ?? null;
      if (page.length < 5) break;
    }
    t.deepEqual(read, all);
  });

  check('three of twenty adds for the last three places succeed', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    for (let index = 0; index < 2; index += 1) await addOne(memory, tenantId);
    const reserved = await atOnce(20, async () => {
      const place = { tenantId, reservationId: makeUuid() };
      const isKept = await memory.reserve({ ...place, quota: 5, holdMs: HOLD_MS });
      if (isKept) await memory.add(makeFact(tenantId, { ...place, quota: 5 }));
      return isKept;
    });
    t.is(reserved.filter(Boolean).length, 3);
    t.deepEqual(await memory.readUsage(tenantId), { added: 5, live: 5, tier: null });
    t.is((await memory.list({ tenantId, limit: 100, before: null })).length, 5);
  });

  check('a place that was given back can be had again', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    const place = { tenantId, reservationId: makeUuid() };
    const other = { tenantId, reservationId: makeUuid() };
    const terms = { quota: 1, holdMs: HOLD_MS };
    t.true(await memory.reserve({ ...place, ...terms }));
    t.false(await memory.reserve({ ...other, ...terms }));
    await memory.release(place);
    t.true(await memory.reserve({ ...other, ...terms }));
    t.deepEqual(await memory.readUsage(tenantId), { added: 0, live: 0, tier: null });
  });

  check(
    'a place that lapsed is free, and its fact comes in only if there is room',
    async (t, { store }) => {
      const { memory } = store;
      const tenantId = makeTenantId();
      const late = { tenantId, reservationId: makeUuid(), quota: 1 };
      t.true(await memory.reserve({ ...late, holdMs: 0 }));
      await addOne(memory, tenantId, { quota: 1 });
      t.is(await memory.add(makeFact(tenantId, late)), null);
      t.truthy(await memory.add(makeFact(tenantId, { ...late, quota: 2 })));
      t.like(await memory.readUsage(tenantId), { added: 2, live: 2 });
    },
  );

  check('a quota of nothing has no place', async (t, { store: { memory } }) => {
    const place = { tenantId: makeTenantId(), reservationId: makeUuid() };
    t.false(await memory.reserve({ ...place, quota: 0, holdMs: HOLD_MS }));
  });

  check('an ingestion key gives the first fact, and nothing is counted', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    const first = await addOne(memory, tenantId, { ingestionKey: 'mail-7', content: 'first' });
    const again = await addOne(memory, tenantId, { ingestionKey: 'mail-7', content: 'second' });
    t.deepEqual(again, first);
    t.deepEqual(await memory.findByIngestionKey({ tenantId, ingestionKey: 'mail-7' }), first);
    t.like(await memory.readUsage(tenantId), { added: 1, live: 1 });
    const other = makeTenantId();
    t.is(await memory.findByIngestionKey({ tenantId: other, ingestionKey: 'mail-7' }), null);
    t.not((await addOne(memory, other, { ingestionKey: 'mail-7' })).factId, first.factId);
  });

  check('twenty adds under one ingestion key make one fact', async (t, { store: { memory } }) => {
    const tenantId = makeTenantId();
    const added = await atOnce(20, () => addOne(memory, tenantId, { ingestionKey: 'same' }));
    t.is(new Set(added.map(({ factId }) => factId)).size, 1);
    t.like(await memory.readUsage(tenantId), { added: 1, live: 1 });
  });

  check('a fact that is forgotten is gone from every reading', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    const { factId } = await addOne(memory, tenantId, { ingestionKey: 'k' });
    const kept = await addOne(memory, tenantId);
    const forgetting = { tenantId, factId, reason: 'asked to', actorId: 'token:ci' };
    t.is(await memory.forgetFact({ ...forgetting, tenantId: makeTenantId() }), 0);
    t.is(await memory.forgetFact({ ...forgetting, factId: makeUuid() }), 0);
    t.is(await memory.forgetFact(forgetting), 1);
    t.is(await memory.forgetFact(forgetting), 0);
    t.deepEqual(await memory.list({ tenantId, limit: 10, before: null }), [kept]);
    t.deepEqual(
      (await memory.readFacts({ tenantId, ordinals: [1, 2] })).map((fact) => fact.factId),
      [kept.factId],
    );
    t.is((await memory.readVectors({ tenantId, ordinals: [1] })).length, 0);
    t.is(await memory.findByIngestionKey({ tenantId, ingestionKey: 'k' }), null);
    t.deepEqual(await memory.readUsage(tenantId), { added: 2, live: 1, tier: null });
    const anew = await addOne(memory, tenantId, { ingestionKey: 'k' });
    t.not(anew.factId, factId);
  });

  check(
    'forgetting a user takes the facts of every agent, and tells it once',
    async (t, database) => {
      const { memory } = database.store;
      const tenantId = makeTenantId();
      const agentId = makeUuid();
      for (const scope of [
        { endUserId: 'user-4711' },
        { endUserId: 'user-4711', agentId },
        { endUserId: 'v' },
        {},
      ]) {
        await addOne(memory, tenantId, scope);
      }
      await addOne(memory, makeTenantId(), { endUserId: 'user-4711' });
      const auditId = makeUuid();
      const endUserId = 'user-4711';
      const forgetting = { tenantId, endUserId, reason: 'left', actorId: 'token:ci', auditId };
      t.is(await memory.forgetUser(forgetting), 2);
      t.is((await memory.list({ tenantId, limit: 10, before: null })).length, 2);
      t.like(await memory.readUsage(tenantId), { added: 4, live: 2 });
      const { audit_log: items = [] } = await database.contents();
      const [item, ...others] = items.filter(
        (row) => row.includes(tenantId) && row.includes('memory_user_forgotten'),
      );
      t.is(others.length, 0);
      for (const part of [auditId, 'memory_user_forgotten', 'token:ci', 'left']) {
        t.true(item?.includes(part), part);
      }
      t.regex(item ?? '', /count\W+2/);
      t.true(item?.includes(hashEndUser(tenantId, endUserId)));
      t.false(item?.includes(endUserId));
    },
  );

  check('twenty who forget a user at once forget each fact once', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    await atOnce(10, () => addOne(memory, tenantId, { endUserId: 'u' }));
    const counts = await atOnce(20, () =>
      memory.forgetUser({
        tenantId,
        endUserId: 'u',
        reason: 'r',
        actorId: 'a',
        auditId: makeUuid(),
      }),
    );
    t.is(
      counts.reduce((sum, count) => sum + count, 0),
      10,
    );
    t.like(await memory.readUsage(tenantId), { added: 10, live: 0 });
  });

  check(
    'changes are listed by scope, in their order, from a reader’s position',
    async (t, { store }) => {
      const { memory } = store;
      const tenantId = makeTenantId();
      const scope = { agentId: makeUuid(), endUserId: 'u' };
      for (let index = 0; index < 3; index += 1) await addOne(memory, tenantId, scope);
      for (const other of [{ ...scope, agentId: null }, { ...scope, endUserId: null }, NOBODY]) {
        await addOne(memory, tenantId, other);
      }
      await addOne(memory, makeTenantId(), scope);
      const read = (after: number, limit = 10) =>
        memory.listChanges({ tenantId, scope, after, limit });
      const all = await read(0);
      t.deepEqual(
        all.map(({ ordinal }) => ordinal),
        [1, 2, 3],
      );
      const first = await read(0, 2);
      t.deepEqual(first, all.slice(0, 2));
      t.deepEqual(await read(first.at(-1)?.change ?? 0), all.slice(2));
      const seen = all.at(-1)?.change ?? 0;
      await memory.forgetUser({
        tenantId,
        endUserId: 'u',
        reason: 'r',
        actorId: 'a',
        auditId: makeUuid(),
      });
      const forgotten = await read(seen);
      t.deepEqual(
        forgotten.map(({ ordinal, sketch }) => [ordinal, sketch]),
        [
          [1, null],
          [2, null],
          [3, null],
        ],
      );
      t.is(new Set(forgotten.map(({ change }) => change)).size, 3);
      t.deepEqual(await read(0), []);
    },
  );

  check('a reader that follows the changes of many writers misses none', async (t, { store }) => {
    const { memory } = store;
    const tenantId = makeTenantId();
    const read: number[] = [];
    let after = 0;
    let isOver = false;
    const follow = async () => {
      for (;;) {
        const wasOver = isOver;
        const changes = await memory.listChanges({ tenantId, scope: NOBODY, after, limit: 3 });
        read.push(...changes.map(({ ordinal }) => ordinal));
        after = changes.at(-1)?.change ?? after;
        if (wasOver && changes.length === 0) return;
      }
    };
    const following = follow();
    await atOnce(40, () => addOne(memory, tenantId));
    isOver = true;
    await following;
    t.deepEqual(
      read,
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });

  check('a tenant that added nothing has counts of nothing', async (t, { store: { memory } }) => {
    t.deepEqual(await memory.readUsage(makeTenantId()), { added: 0, live: 0, tier: null });
  });
}
