import type { ExecutionId, TenantId } from '../../../../../src/shared/domain/ids.ts';
import type {
  CommitPlan,
  CommitVerdict,
  NewExecution,
} from '../../../../../src/shared/store/commit.ts';
import type { Store } from '../../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../../support/stores.ts';
import { contractCases } from '../contract-case.ts';
import { atOnce, commitOne, judge, refuses, start, type Started } from '../drive.ts';
import {
  makeEvent,
  makeExecutionId,
  makeNewExecution,
  makePlan,
  makeStarted,
  makeTenantId,
} from '../make.ts';

const COMPETITORS = 20;
const PLACE_KEY = '["orders","acme"]';
const ENDED = { status: 'cancelled', events: [makeEvent({ kind: 'WorkflowCancelled' })] } as const;

/** Starts that take a place of their key with their commit, or are refused. */
export function flowRefusalCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a start that finds no place of its key is refused and writes nothing', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    const first = await take(store, tenantId, 2);
    await take(store, tenantId, 2);
    await refuses(t, at, { plan: planOf(tenantId, 2), reason: 'places_taken' });
    await take(store, tenantId, 3);
    await take(store, makeTenantId(), 1);
    const other = { takesPlace: { placeKey: '["orders","brown"]', placesMax: 1 } };
    await start(store, { tenantId, create: other });
    await end(store, first);
    await refuses(t, at, { plan: planOf(tenantId, 2), reason: 'places_taken' });
    t.true((await judge(store, planOf(tenantId, 3))).accepted);
  });

  check('an Idempotency-Key of a refused start stays free', async (t, { store }) => {
    const tenantId = makeTenantId();
    const request = { key: 'once', bodyHash: 'a' };
    const first = await take(store, tenantId, 1);
    t.like(await judge(store, planOf(tenantId, 1, { request })), { reason: 'places_taken' });
    await end(store, first);
    const second = planOf(tenantId, 1, { request });
    t.true((await judge(store, second)).accepted);
    // A repeated start needs no place: it gets the first answer.
    t.like(await judge(store, planOf(tenantId, 1, { request })), {
      reason: 'duplicate_request',
      existing: { executionId: second.executionId },
    });
  });

  check('those that wait for a place of the key come first', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    const place = { placeKey: PLACE_KEY, placesMax: 2 };
    const waiting = await start(store, { tenantId, create: { awaitsPlace: place } });
    await take(store, tenantId, 2);
    await refuses(t, at, { plan: planOf(tenantId, 2), reason: 'places_taken' });
    t.deepEqual(await admit(store, tenantId), [waiting.executionId]);
    await refuses(t, at, { plan: planOf(tenantId, 2), reason: 'places_taken' });
    await end(store, waiting);
    await take(store, tenantId, 2);
  });

  check('the starts of a batch take as many places as there are', async (t, { store }) => {
    const tenantId = makeTenantId();
    await take(store, tenantId, 4);
    const plans = Array.from({ length: 5 }, () => planOf(tenantId, 4));
    t.deepEqual(wordsOf(await store.executions.commit(plans)), [
      'accepted',
      'accepted',
      'accepted',
      'places_taken',
      'places_taken',
    ]);
  });

  check('a start of a batch that is refused otherwise takes no place', async (t, { store }) => {
    const tenantId = makeTenantId();
    const known = await start(store, { tenantId });
    const limits = { executionsMax: 3, queuedItemsMax: null };
    const create = { limits, takesPlace: { placeKey: PLACE_KEY, placesMax: 1 } };
    const exists = makePlan(known, {
      create: makeNewExecution(create),
      events: [makeStarted(makeNewExecution())],
    });
    const plans = [
      exists,
      planOf(tenantId, 1, { limits }),
      planOf(tenantId, 1, { limits }),
      planOf(tenantId, 1, { limits, takesPlace: { placeKey: '["orders","b"]', placesMax: 1 } }),
    ];
    t.deepEqual(wordsOf(await store.executions.commit(plans)), [
      'exists',
      'accepted',
      'places_taken',
      'accepted',
    ]);
  });

  check('a start under the key of a refused one is judged for its own place', async (t, at) => {
    const { store } = at;
    const tenantId = makeTenantId();
    await take(store, tenantId, 1);
    const request = { key: 'twice', bodyHash: 'a' };
    const other = { placeKey: '["orders","brown"]', placesMax: 1 };
    const plans = [
      planOf(tenantId, 1, { request }),
      planOf(tenantId, 1, { request, takesPlace: other }),
    ];
    t.deepEqual(wordsOf(await store.executions.commit(plans)), ['places_taken', 'accepted']);
  });

  check('twenty starts at once take as many places as there are', async (t, { store }) => {
    for (const limit of [1, 3, 7]) {
      const tenantId = makeTenantId();
      const old = await Promise.all(
        Array.from({ length: limit }, () => take(store, tenantId, limit)),
      );
      await Promise.all(old.map((one) => end(store, one)));
      const verdicts = await atOnce(COMPETITORS, () => judge(store, planOf(tenantId, limit)));
      const words = wordsOf(verdicts);
      t.is(words.filter((word) => word === 'accepted').length, limit);
      t.is(words.filter((word) => word === 'places_taken').length, COMPETITORS - limit);
    }
  });

  check(
    'no more than the limit run, and none is refused while a place is free',
    async (t, { store }) => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const limit = 1 + (seed % 3);
        const seen = await compete(store, { seed, limit, actors: 9, turns: 12 });
        t.deepEqual(seen.broken, [], `seed ${seed}`);
        t.true(seen.accepted > limit && seen.refused > 0, `seed ${seed}: ${JSON.stringify(seen)}`);
      }
    },
  );
}

/** One execution, in the order of what its client saw; each number is a moment. */
interface Life {
  readonly asked: number;
  begun: number;
  endAsked: number;
  ended: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Clients start and end executions of one key, some of which wait. The moments of requests and answers bound
 * how many executions had a place at any moment.
 */
async function compete(
  store: Store,
  of: {
    readonly seed: number;
    readonly limit: number;
    readonly actors: number;
    readonly turns: number;
  },
) {
  const { seed, limit } = of;
  const tenantId = makeTenantId();
  const lives: Life[] = [];
  const waiting = new Map<ExecutionId, Life>();
  const broken: string[] = [];
  let moment = 0;
  let accepted = 0;
  let refused = 0;
  const tick = () => (moment += 1);
  const noteBegun = (life: Life) => {
    life.begun = tick();
    const running = lives.filter(({ begun, endAsked }) => begun !== NEVER && endAsked === NEVER);
    if (running.length > limit) broken.push(`${running.length} run at a time`);
  };
  const noteRefused = (asked: number) => {
    const until = tick();
    refused += 1;
    const possible = lives.filter((life) => life.asked < until && life.ended > asked);
    if (possible.length < limit) broken.push(`refused while ${possible.length} had a place`);
  };
  const act = async (actor: number) => {
    const draw = drawer(seed * 1_000 + actor);
    const own: (Started & { readonly life: Life })[] = [];
    for (let turn = 0; turn < of.turns; turn += 1) {
      const [oldest] = own;
      const chance = draw();
      if (oldest !== undefined && oldest.life.begun !== NEVER && chance < 0.5) {
        own.shift();
        oldest.life.endAsked = tick();
        await end(store, oldest);
        oldest.life.ended = tick();
      } else if (chance < 0.6) {
        for (const id of await admit(store, tenantId)) {
          const life = waiting.get(id);
          if (life !== undefined) noteBegun(life);
        }
      } else {
        const waits = chance < 0.7;
        const place = { placeKey: PLACE_KEY, placesMax: limit };
        const plan = waits ? planWith(tenantId, { awaitsPlace: place }) : planOf(tenantId, limit);
        const life = { asked: tick(), begun: NEVER, endAsked: NEVER, ended: NEVER };
        if (waits) waiting.set(plan.executionId, life);
        lives.push(life);
        const verdict = await judge(store, plan);
        if (verdict.accepted) own.push({ ...plan, life });
        if (verdict.accepted) accepted += 1;
        if (verdict.accepted && !waits) noteBegun(life);
        if (!verdict.accepted) {
          lives.splice(lives.indexOf(life), 1);
          noteRefused(life.asked);
        }
      }
    }
  };
  await atOnce(of.actors, act);
  return { broken, accepted, refused };
}

/** Numbers from 0 to 1 that only depend on the seed. */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function planOf(
  tenantId: TenantId,
  placesMax: number,
  create: Partial<NewExecution> = {},
): CommitPlan {
  return planWith(tenantId, { takesPlace: { placeKey: PLACE_KEY, placesMax }, ...create });
}

function planWith(tenantId: TenantId, create: Partial<NewExecution>): CommitPlan {
  const made = makeNewExecution(create);
  const of = { executionId: makeExecutionId(), tenantId };
  return makePlan(of, { create: made, events: [makeStarted(made)] });
}

async function take(store: Store, tenantId: TenantId, placesMax: number): Promise<Started> {
  const plan = planOf(tenantId, placesMax);
  await commitOne(store, plan);
  return plan;
}

async function admit(store: Store, tenantId: TenantId): Promise<readonly ExecutionId[]> {
  const admitted = await store.flow.admit({ tenantId, placeKey: PLACE_KEY, limit: 100 });
  return admitted.map(({ executionId }) => executionId);
}

async function end(store: Store, { executionId, tenantId }: Started): Promise<void> {
  await commitOne(store, makePlan({ executionId, tenantId }, ENDED));
}

function wordsOf(verdicts: readonly CommitVerdict[]): readonly string[] {
  return verdicts.map((verdict) => (verdict.accepted ? 'accepted' : verdict.reason));
}
