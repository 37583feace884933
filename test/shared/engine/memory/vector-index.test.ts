import { randomBytes } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';

import { createCpu, type CpuPool } from '../../../../src/scheduler/pool/pool.ts';
import { createIds } from '../../../../src/shared/clients/system-ids.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import { cascadeOf, type Scope } from '../../../../src/shared/domain/memory/fact.ts';
import { encodeSketch } from '../../../../src/shared/domain/memory/sketch.ts';
import {
  cosine,
  encodeVector,
  type UnitVector,
} from '../../../../src/shared/domain/memory/vector.ts';
import { rankExactly } from '../../../../src/shared/engine/memory/rank.ts';
import {
  createVectorIndex,
  type VectorIndex,
} from '../../../../src/shared/engine/memory/vector-index.ts';
import type { MemoryStore } from '../../../../src/shared/store/memory.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { randomVector, seeded, vectorNear } from '../../../support/vectors.ts';

const test = anyTest as TestFn<{ database: TestStore; cpu: CpuPool }>;
const ids = createIds({ now: Date.now, randomBytes });
const PROJECT: Scope = { agentId: null, endUserId: null };
const MIB = 1024 * 1024;

test.before(async (t) => {
  t.context = { database: await openTestStore('sqlite'), cpu: createCpu({ threads: 2 }) };
});

test.after.always(async (t) => {
  await t.context.cpu.close();
  await t.context.database.close();
});

for (const [title, count, spread, bytesMax] of [
  ['in place', 500, 1, 64 * MIB],
  ['in place, many near each other', 500, 0.02, 64 * MIB],
  ['on a thread', 2500, 1, 64 * MIB],
  ['on a thread, many near each other', 2500, 0.02, 64 * MIB],
  ['read from the store, as there is no room', 1500, 0.3, 1 * MIB],
] as const) {
  test(`the answer is the one of comparing everything: ${title}`, async (t) => {
    const { memory } = t.context.database.store;
    const random = seeded(count);
    const centre = randomVector(random);
    const facts = await addFacts(memory, {
      tenantId: newTenant(),
      vectors: Array.from({ length: count }, () =>
        vectorNear(centre, { random, distance: spread }),
      ),
    });
    const index = openIndex(t.context, { bytesMax });
    for (const k of [1, 10, 100]) {
      const query = vectorNear(centre, { random, distance: spread });
      t.deepEqual(await nearest(index, { memory, facts, query, k }), bruteForce(facts, query, k));
    }
    t.true(index.bytes() <= bytesMax);
    index.close();
  });
}

test('equal facts come in the order of adding, the last first', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(9);
  const [same, query] = [randomVector(random), randomVector(random)];
  const facts = await addFacts(memory, {
    tenantId: newTenant(),
    vectors: Array.from({ length: 150 }, () => same),
  });
  const index = openIndex(t.context);
  const found = await nearest(index, { memory, facts, query, k: 3 });
  t.deepEqual(
    found.map(({ ordinal }) => ordinal),
    [150, 149, 148],
  );
  index.close();
});

test('a search sees what was committed before it, by whomever', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(10);
  const tenantId = newTenant();
  const index = openIndex(t.context);
  const vectors = Array.from({ length: 70 }, () => randomVector(random));
  const facts: AddedFacts = { tenantId, vectors: [] };
  for (const vector of vectors) {
    await addFacts(memory, { tenantId, vectors: [vector] });
    facts.vectors.push(vector);
    const [found] = await nearest(index, { memory, facts, query: vector, k: 1 });
    t.is(found?.ordinal, facts.vectors.length);
  }
  const [listed] = await memory.list({ tenantId, limit: 1, before: null });
  const last = vectors.at(-1) ?? randomVector(random);
  const factId = listed?.factId ?? '';
  await memory.forgetFact({ tenantId, factId, reason: 'r', actorId: 'a' });
  const [found] = await nearest(index, { memory, facts, query: last, k: 1 });
  t.not(found?.ordinal, vectors.length);
  index.close();
});

test('searches and adds side by side: each finds the entries from before its beginning', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(11);
  const tenantId = newTenant();
  const index = openIndex(t.context);
  const vectors = Array.from({ length: 60 }, () => randomVector(random));
  const facts = { tenantId, vectors };
  await Promise.all(
    vectors.map(async (vector) => {
      await addFacts(memory, { tenantId, vectors: [vector] });
      const [found] = await nearest(index, { memory, facts, query: vector, k: 1 });
      t.true((found?.similarity ?? 0) > 0.999);
    }),
  );
  index.close();
});

test('scopes leave when others need the room, and come back whole', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(12);
  const tenants = await Promise.all(
    Array.from({ length: 4 }, () =>
      addFacts(memory, {
        tenantId: newTenant(),
        vectors: Array.from({ length: 400 }, () => randomVector(random)),
      }),
    ),
  );
  const index = openIndex(t.context, { bytesMax: 1.5 * MIB });
  for (let round = 0; round < 3; round += 1) {
    for (const facts of tenants) {
      const query = randomVector(random);
      t.deepEqual(
        await nearest(index, { memory, facts, query, k: 5 }),
        bruteForce(facts, query, 5),
      );
      t.true(index.bytes() <= 1.5 * MIB);
    }
  }
  index.close();
});

test('a search whose store or query fails leaves the scopes whole for the next one', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(14);
  const tenants = await Promise.all(
    Array.from({ length: 3 }, () =>
      addFacts(memory, {
        tenantId: newTenant(),
        vectors: Array.from({ length: 1200 }, () => randomVector(random)),
      }),
    ),
  );
  let readings = 0;
  const failing: MemoryStore = {
    ...memory,
    listChanges: async (params) => {
      readings += 1;
      if (readings % 3 === 0) throw new Error('the store went away');
      return memory.listChanges(params);
    },
  };
  const index = openIndex({ ...t.context, store: failing }, { bytesMax: 4.5 * MIB });
  let [failed, answered] = [0, 0];
  for (let round = 0; round < 24; round += 1) {
    const facts = tenants[round % 3] ?? { tenantId: newTenant(), vectors: [] };
    const query = randomVector(random);
    try {
      const found = await nearest(index, { memory, facts, query, k: 5 });
      answered += 1;
      t.deepEqual(found, bruteForce(facts, query, 5));
    } catch (error) {
      failed += 1;
      t.is((error as Error).message, 'the store went away');
    }
  }
  t.true(failed > 3 && answered > 3);
  const { tenantId } = tenants[0] ?? { tenantId: newTenant() };
  const refused = Promise.reject(new Error('no embedding'));
  await t.throwsAsync(index.search({ tenantId, scopes: [PROJECT], query: refused, k: 1 }), {
    message: 'no embedding',
  });
  index.close();
});

test('a recall reads the scopes of its cascade and no other', async (t) => {
  const { memory } = t.context.database.store;
  const random = seeded(13);
  const tenantId = newTenant();
  const [a, b] = [ids.uuid(), ids.uuid()];
  const scopes = [a, b, null].flatMap((agentId) =>
    ['u', 'v', null].map((endUserId) => ({ agentId, endUserId })),
  );
  const query = randomVector(random);
  // The first is the farthest, so that facts outside the cascade would come first.
  for (const [place, scope] of scopes.toReversed().entries()) {
    const vectors = [vectorNear(query, { random, distance: 1 / (place + 1) })];
    await addFacts(memory, { tenantId, vectors, scope });
  }
  await addFacts(memory, { tenantId: newTenant(), vectors: [query] });
  const index = openIndex(t.context);
  for (const asked of scopes) {
    const allowed = cascadeOf(asked);
    const candidates = await index.search({ tenantId, scopes: allowed, query, k: 100 });
    const facts = await memory.readFacts({ tenantId, ordinals: [...candidates.ordinals] });
    const found = facts.map(({ agentId, endUserId }) => ({ agentId, endUserId }));
    t.is(found.length, allowed.length);
    for (const scope of allowed) {
      t.true(found.some((one) => JSON.stringify(one) === JSON.stringify(scope)));
    }
  }
  index.close();
});

interface AddedFacts {
  readonly tenantId: TenantId;
  readonly vectors: UnitVector[];
}

interface OpenIndex {
  readonly database: TestStore;
  readonly cpu: CpuPool;
  readonly store?: MemoryStore;
}

function newTenant(): TenantId {
  return `t-${randomBytes(6).toString('hex')}` as TenantId;
}

function openIndex(
  { database, cpu, store = database.store.memory }: OpenIndex,
  { bytesMax = 64 * MIB }: { readonly bytesMax?: number } = {},
): VectorIndex {
  const now = () => performance.now();
  return createVectorIndex({ store, scanner: cpu, bytesMax, now });
}

async function addFacts(
  memory: MemoryStore,
  given: AddedFacts & { readonly scope?: Scope },
): Promise<AddedFacts> {
  const { tenantId, vectors, scope = PROJECT } = given;
  for (const vector of vectors) {
    await memory.add({
      ...scope,
      tenantId,
      reservationId: ids.uuid(),
      quota: 1e6,
      factId: ids.uuid(),
      content: 'x',
      metadata: {},
      ingestionKey: null,
      embedding: encodeVector(vector),
      sketch: encodeSketch(vector),
      actorId: 'token:ci',
    });
  }
  return given;
}

async function nearest(
  index: VectorIndex,
  given: {
    readonly memory: MemoryStore;
    readonly facts: AddedFacts;
    readonly query: UnitVector;
    readonly k: number;
  },
) {
  const { memory, query, k } = given;
  const { tenantId } = given.facts;
  const candidates = await index.search({ tenantId, scopes: [PROJECT], query, k });
  return (await rankExactly(memory, { tenantId, candidates, query, k })).nearest;
}

function bruteForce({ vectors }: AddedFacts, query: UnitVector, k: number) {
  return vectors
    .map((vector, place) => ({ ordinal: place + 1, similarity: cosine(vector, query) }))
    .toSorted((left, right) => right.similarity - left.similarity || right.ordinal - left.ordinal)
    .slice(0, k);
}
