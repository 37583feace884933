import test from 'ava';

import type { CommitPlan } from '../../src/shared/store/commit.ts';
import type { ExecutionStore, Store, WorkStore } from '../../src/shared/store/store.ts';
import { openSimulatedDatabase, type SimulatedDatabase } from './database.ts';
import { FAULTS } from './faults.ts';
import { renderFinding } from './render-finding.ts';
import { runHistories } from './run-histories.ts';
import { runHistory } from './run-history.ts';
import { drawScenario } from './scenario.ts';
import { shrink } from './shrink.ts';

const HISTORIES = 200;
/** From here on, all that is exercised happens within so many histories. */
const FIRST_SEED = 601;
/** The last one has archives. */
const TRACED = 6;

let database: SimulatedDatabase;
test.before(async () => {
  database = await openSimulatedDatabase();
});
test.after.always(() => database.close());

test.serial('a seed gives the same history, to the byte', async (t) => {
  for (let seed = 1; seed <= TRACED; seed += 1) {
    const once = async () => {
      const { lines } = await runHistory(database, drawScenario(`${seed}`), { traced: true });
      return { lines, tables: database.dump() };
    };
    const first = await once();
    t.true(first.lines.length > 40, `${seed}: ${first.lines.length}`);
    t.deepEqual(await once(), first);
  }
});

test.serial('no invariant breaks under any fault', async (t) => {
  const goesOn = (done: number) => done < HISTORIES;
  const { finding, counts } = await runHistories({ database, firstSeed: FIRST_SEED, goesOn });
  if (finding !== null) {
    const smallest = await shrink(database, finding);
    const { lines } = await runHistory(database, smallest.scenario, { traced: true });
    t.fail(renderFinding({ finding, smallest, lines }));
  }
  // A simulation in which nothing happens finds nothing.
  const happened = (name: string) => counts.get(name) ?? 0;
  for (const kind of Object.keys(FAULTS)) t.true(happened(`fault ${kind}`) > 0, kind);
  for (const name of EXERCISED) t.true(happened(name) > 0, name);
});

const EXERCISED = [
  'approvals shown',
  'approve 200',
  'cancel 200',
  'archived removals',
  'archives',
  'archives refused',
  'arrivals',
  'budgets exceeded',
  'budgets granted',
  'cancel 400',
  'commit_refusals duplicate_request',
  'commit_refusals ended',
  'commit_refusals executions_limited',
  'commit_refusals moved',
  'commit_refusals orphaned',
  'commit_refusals places_taken',
  'commit_refusals stale',
  'complete 200',
  'complete_rollback 200',
  'complete 409',
  'complete_unfenced 200',
  'continue 200',
  'continue 400',
  'decisions checked',
  'ends awaited',
  'executions_admitted concurrency',
  'executions_displaced',
  'event 200',
  'export 200',
  'fail 200',
  'fail_unfenced 200',
  'labels kept',
  'list_approvals 200',
  'read_state 200',
  'fork 201',
  'fork 400',
  'heartbeat 409',
  'import 200',
  'import 201',
  'import 400',
  'import 409',
  'imports from archives',
  'leases_reclaimed lapsed',
  'leases_reclaimed timeout',
  'list_forks 200',
  'record 200',
  'record 409',
  'release 200',
  'release 409',
  'removed executions',
  'removals that an import reverted',
  'requeue 200',
  'result 200',
  'result 202',
  'retry 201',
  'retry 409',
  'pause 200',
  'pause_workflow 200',
  'resume 200',
  'resume_workflow 200',
  'retries',
  'schedule_fires',
  'sealed items',
  'set_status 200',
  'start 200',
  'start 202',
  'step effects',
  'suspend 200',
  'suspend 409',
  'timers_fired',
];

/** Each bug removes one guard from the store, and the simulation must find it. */
const BUGS: Readonly<Record<string, (plan: CommitPlan) => CommitPlan>> = {
  'fences are not checked': (plan) => ({ ...plan, settles: [] }),
  'the sequence is not checked': (plan) => ({ ...plan, expectedSequence: null }),
  'work is scheduled and not queued': (plan) => ({ ...plan, newItems: [] }),
  'an end revokes nothing': (plan) => ({ ...plan, revokesAll: false }),
  'a release counts as an attempt': (plan) => ({
    ...plan,
    retries: plan.retries.map((retry) => {
      const { ticket, released } = retry;
      const attempt = ticket.attempt + (released === null ? 0 : 1);
      return { ...retry, ticket: { ...ticket, attempt } };
    }),
  }),
  'usage is charged twice': (plan) => {
    const { charge } = plan;
    if (charge === null) return plan;
    const { inputTokens, outputTokens, costUsd } = charge;
    return {
      ...plan,
      charge: {
        inputTokens: inputTokens * 2,
        outputTokens: outputTokens * 2,
        costUsd: costUsd * 2,
      },
    };
  },
  'a key has one place too many': (plan) => {
    const { awaitsPlace, takesPlace } = plan.create ?? {};
    return {
      ...plan,
      create: plan.create && {
        ...plan.create,
        ...(awaitsPlace !== undefined && {
          awaitsPlace: { ...awaitsPlace, placesMax: (awaitsPlace.placesMax ?? 0) + 1 },
        }),
        ...(takesPlace !== undefined && {
          takesPlace: { ...takesPlace, placesMax: takesPlace.placesMax + 1 },
        }),
      },
    };
  },
  'the holds of paused workflows are not recorded': (plan) => ({ ...plan, workflowHold: null }),
};

for (const [name, change] of Object.entries(BUGS)) {
  test.serial(`it is found when ${name}`, async (t) => {
    const openProcess = (): Store => {
      const { executions, ...store } = database.openProcess();
      const commit: ExecutionStore['commit'] = (plans) => executions.commit(plans.map(change));
      return { ...store, executions: { ...executions, commit } };
    };
    const { finding } = await runHistories({
      database: { ...database, openProcess },
      firstSeed: 1,
      goesOn: (done) => done < HISTORIES,
    });
    t.not(finding, null);
    t.log(finding?.scenario.seed, finding?.outcome.violations[0]?.rule);
  });
}

test.serial('it is found when claims get items of every tool', async (t) => {
  const openProcess = (): Store => {
    const { work, ...store } = database.openProcess();
    const claimTogether: WorkStore['claimTogether'] = (request) =>
      work.claimTogether({ ...request, tools: null });
    return { ...store, work: { ...work, claimTogether } };
  };
  const { finding } = await runHistories({
    database: { ...database, openProcess },
    firstSeed: 1,
    goesOn: (done) => done < HISTORIES,
  });
  t.is(
    finding?.outcome.violations[0]?.rule,
    'an item is handed out only to a claim that admits it',
  );
});
