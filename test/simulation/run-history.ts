import { checkInvariants } from '../invariants/check-invariants.ts';
import type { SeenWait } from '../invariants/checks/check-results.ts';
import type { Archiving } from '../invariants/checks/check-archives.ts';
import type { SeenEngineClaim, WaitingCall } from '../invariants/checks/check-tenant-turns.ts';
import type { Dump } from '../invariants/dump.ts';
import { deedsOf, success, type History } from '../invariants/history.ts';
import type { Violation } from '../invariants/violation.ts';
import { createArchiveDisk } from './archive-disk.ts';
import { archivedIn, archivesOn } from './read-archives.ts';
import { runCaller } from './callers.ts';
import { readAll, runWorker, type Outside } from './clients.ts';
import { ARCHIVES, startCluster, type Cluster } from './cluster.ts';
import { EPOCH_MS, type SimulatedDatabase } from './database.ts';
import { createDice } from './dice.ts';
import { checkDecisions } from './check-decisions.ts';
import { checkReplays } from './check-replays.ts';
import { createFaults } from './faults.ts';
import { runFunctionWorker } from './function-workers.ts';
import { unleashNemesis } from './nemesis.ts';
import { KEYS, SHARES, START_RULES } from './keys.ts';
import { LABELLED } from './labels.ts';
import { restoreArchived } from './importers.ts';
import { createNetwork } from './network.ts';
import { sendRefusable } from './probes.ts';
import {
  removeDue,
  removeTogether,
  runAdministrator,
  runCleaner,
  runOperator,
  runPlanner,
  runSwitch,
} from './operators.ts';
import { createReceiver } from './receiver.ts';
import { createRecorder } from './recorder.ts';
import { createEffects } from './step-effects.ts';
import { ARCHIVE_FAULTS, ROOMY, type Scenario } from './scenario.ts';
import { BUDGETS } from './usage.ts';
import { EXECUTIONS_MAX, LIMITED_TENANT } from './workflows.ts';
import { verifyChain } from './verify-chain.ts';
import { watchDatabase } from './watch-database.ts';
import { OUTPUT_KEYS } from './output-keys.ts';
import { runWaiter, waitersOf } from './waiters.ts';
import { createWaits } from './waits.ts';
import { createWorld } from './world.ts';

export interface Outcome {
  readonly violations: readonly Violation[];
  /** Counts of what happened: faults, answers by status, refused commits and more. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many faults were drawn, so that shrinking can spare them. */
  readonly faultsDrawn: number;
  readonly virtualMs: number;
  readonly lines: readonly string[];
}

/** How long the whole history may take to end after the faults. */
const REST_MS_MAX = 60_000;
/** The share of commits after which the tables are dumped. */
const SAMPLED = 0.1;
/** The same with schedules, because no commit of an execution shows how a fire was decided. */
const SAMPLED_OF_SCHEDULES = 0.6;
/** The share of histories that end with requests that must all be refused. */
const PROBED = 0.25;

/**
 * Runs one history from an empty database to its end. The same scenario gives the same history, to
 * the byte.
 */
export async function runHistory(
  given: SimulatedDatabase,
  scenario: Scenario,
  options: { readonly traced?: boolean } = {},
): Promise<Outcome> {
  given.reset(scenario);
  const { seed, roles, rates, spared, leaseMs, activeMs, retention, underWayMax } = scenario;
  const dice = createDice(seed);
  const world = createWorld({ dice: dice.fork('world'), traced: options.traced ?? false });
  const waits = createWaits(world);
  let skewMs = 0;
  given.clock.now = () => EPOCH_MS + world.now() + skewMs;
  const disk = createArchiveDisk();
  disk.makeFolder(ARCHIVES);
  disk.syncFolder('/');
  const seen = watchDatabase(given, {
    archiveOf: (file) => archivesOn(disk.durableFiles(), file)[0] ?? null,
    dice: dice.fork('samples'),
    sampled: scenario.schedules.length > 0 ? SAMPLED_OF_SCHEDULES : SAMPLED,
    seesClaims: scenario.starts.some(({ workflowId }) => SHARES[workflowId] !== undefined),
    seesTurns: scenario.underWayMax < ROOMY,
    onCommits: (plans, verdicts) => waits.noteCommits(plans, verdicts),
  });
  const { database, dumps, claims, engineClaims, decided, removals, look } = seen;
  const faults = createFaults({ dice: dice.fork('faults'), rates, spared });
  const recorder = createRecorder(world);
  const parts = { world, database, faults, recorder };
  const receiver = createReceiver({ world, faults, dice: dice.fork('receiver') });
  for (const tenantId of scenario.told) await given.tell(tenantId);
  const sides = {
    schedules: scenario.schedules.length > 0,
    webhooks: scenario.told.length > 0,
    sealing: scenario.sealed,
    keptDays: retention?.keptDays ?? null,
    archives: retention?.archives ?? false,
  };
  if (retention !== null) await given.keep(retention.policy.tenantId, retention.policy.days);
  const ofCluster = { ...parts, roles, leaseMs, underWayMax, sides, receiver, waits, disk };
  const cluster = startCluster({ ...ofCluster, dice: dice.fork('cluster') });
  const network = createNetwork({ ...parts, cluster, dice: dice.fork('network') });
  let isCalm = false;
  let isOver = false;
  const outside: Outside = {
    world,
    network,
    isCalm: () => isCalm,
    isOver: () => isOver,
    archived: (of) => archivedIn(disk.files(), of),
  };
  unleashNemesis({
    ...parts,
    cluster,
    disk,
    dice: dice.fork('nemesis'),
    leaseMs,
    moveClock: (ms) => {
      skewMs += ms;
      world.note(`the database's clock moves by ${ms} ms`);
    },
  });

  let beginning = 0;
  const awaited = (deeds: Promise<unknown>): void => {
    beginning += 1;
    void deeds.finally(() => (beginning -= 1));
  };
  const known: { readonly tenantId: string; readonly executionId: string }[] = [];
  for (const start of scenario.starts) {
    const caller = runCaller(outside, start, dice.fork(start.name), (execution) => {
      known.push(execution);
      for (const waiter of waitersOf(start, execution)) {
        awaited(runWaiter(outside, waiter, dice.fork(waiter.client)));
      }
      const readingMs = dice.fork(`reader of ${start.name}`).fraction() * activeMs;
      world.after(readingMs, () => void readAll(outside, { client: 'reader', ...execution }));
    });
    awaited(caller);
  }
  const functions = { ...outside, effects: createEffects(recorder), programs: seed };
  for (const worker of scenario.functionWorkers) {
    void runFunctionWorker(functions, worker, dice.fork(worker.name));
  }
  for (const worker of scenario.workers) void runWorker(outside, worker, dice.fork(worker.name));
  for (const tenantId of scenario.operators) {
    void runOperator(outside, { tenantId }, dice.fork(`operator of ${tenantId}`));
  }
  for (const suspension of scenario.suspensions) {
    const name = `administrator of ${suspension.tenantId}`;
    awaited(runAdministrator(outside, suspension, dice.fork(name)));
  }
  for (const planned of scenario.switches) {
    awaited(runSwitch(outside, planned, dice.fork(planned.name)));
  }
  if (retention !== null) {
    void runCleaner(outside, retention, dice.fork('cleaner'));
    const aging = dice.fork('age');
    const growOld = (): void => {
      if (isCalm) return;
      const ms = aging.between(4, 40) * 3_600_000;
      world.note(`executions are ${ms / 3_600_000} hours older`);
      given.age(ms);
      world.after(aging.between(50, 300), growOld);
    };
    world.after(aging.between(50, 300), growOld);
  }
  for (const schedule of scenario.schedules) {
    awaited(runPlanner(outside, schedule, dice.fork(schedule.name)));
  }

  await world.run({ isOver: () => false, untilMs: activeMs });
  world.note('all get well');
  faults.heal();
  cluster.heal();
  isCalm = true;
  waits.noteCalm();
  const wellSince = database.clock.now();
  const head = scenario.sealed ? await verifyChain(given.store, null) : null;
  const isIdle = (): boolean =>
    beginning === 0 &&
    database.unfinished() === 0 &&
    world.now() > network.lastCopyAt() + SERVED_MS;
  const isAtRest = (): boolean => isIdle() && database.owed() === 0;
  while (!isAtRest() && world.now() < activeMs + REST_MS_MAX) {
    await world.run({ isOver: () => false, untilMs: world.now() + LOOK_MS });
    // Only messages and starts are left to repeat, which can take minutes, so skip time.
    if (isIdle() && database.owed() > 0) skewMs += OWED_SKIPPED_MS;
  }
  const virtualMs = world.now();
  if (retention !== null && isAtRest()) {
    given.age(ALL_DUE_MS);
    // A clock that was set back may leave events in the future, and they are sealed only after that
    // time.
    skewMs += SEALED_AFTER_MS;
    await verifyChain(given.store, head);
    if (retention.archives) {
      // Most executions are archived only now.
      faults.resume(ARCHIVE_FAULTS);
      await finish(removeTogether(outside, retention));
      faults.heal();
      if (retention.restores) {
        await finish(restoreArchived(outside, known, dice.fork('restorer')));
        given.age(ALL_DUE_MS);
        await verifyChain(given.store, head);
      }
    }
    await finish(removeDue(outside, dice.fork('last removal')));
  }
  isOver = true;

  async function finish(deeds: Promise<unknown>): Promise<void> {
    let finished = false;
    void deeds.finally(() => (finished = true));
    await world.run({ isOver: () => finished, untilMs: world.now() + 30_000 });
  }
  await finish(Promise.all(known.map((of) => readAll(outside, { client: 'reader', ...of }))));
  look({ isLast: true, ...(retention !== null && isAtRest() && { removal: 'over' }) });
  const messages = database.messages();
  const receipts = receiver.arrivals.flatMap(({ messageId, status }) => {
    const seq = messages.get(messageId.replace('msg_', ''));
    return seq === undefined ? [] : [{ seq, status }];
  });
  const chain = head === null ? null : await verifyChain(given.store, head);
  const changes = database.changes();
  const { history, counts, troubles } = recorder;
  // With sealing, writes may occur meanwhile, so the number of changes would prove nothing.
  if (isAtRest() && !scenario.sealed && dice.fork('probes').chance(PROBED)) {
    await finish(sendRefusable(network, { history, known }));
  }
  const seenWaits = waits.seen();
  const archiving = sides.archives
    ? {
        archives: archivesOn(disk.durableFiles()),
        removals,
        failures: failuresIn(cluster),
        reports: recorder.failedArchives,
      }
    : null;
  const decisions = checkDecisions(dumps.at(-1), decided);
  return {
    violations: [
      ...checkInvariants({
        history: { ...history, clockWasSetBack: (faults.fired.get('clock_back') ?? 0) > 0 },
        dumps,
        wellSince,
        limits: { [LIMITED_TENANT]: EXECUTIONS_MAX },
        budgets: BUDGETS,
        keys: KEYS,
        startRules: START_RULES,
        labelled: LABELLED,
        shares: SHARES,
        claims,
        engineClaims,
        outputKeys: OUTPUT_KEYS,
        waits: seenWaits,
        receipts,
        ...(retention !== null && { keptDays: retention.keptDays }),
        ...(archiving !== null && { archiving }),
      }),
      ...[...(head?.problems ?? []), ...(chain?.problems ?? [])].map((saw) => ({
        rule: 'the sealed part of the audit log never changes',
        saw,
      })),
      ...decisions.violations,
      ...checkReplays(dumps.at(-1), seed),
      ...troubles.map((saw) => ({ rule: 'no process reports an internal error', saw })),
      ...(database.changes() === changes
        ? []
        : [{ rule: 'a request that is refused changes no table', saw: 'a table has changed' }]),
    ],
    counts: new Map([
      ...counts,
      ['events', dumps.at(-1)?.events.length ?? 0],
      ['executions', dumps.at(-1)?.executions.length ?? 0],
      ...countBudgets(dumps.at(-1)),
      ['claims seen', claims.length],
      ['calls taken in turns', countTurns(engineClaims)],
      ['decisions checked', decisions.judged],
      ['approvals shown', countShown(history)],
      ['ends awaited', seenWaits.filter(isAwaited).length],
      ['labels kept', dumps.at(-1)?.execution_labels?.length ?? 0],
      ['messages', messages.size],
      ['removed executions', dumps.at(-1)?.retired_executions?.length ?? 0],
      ['imports', dumps.at(-1)?.imported_executions?.length ?? 0],
      ['removals that an import reverted', countReverted(dumps.at(-1))],
      ['arrivals', receipts.length],
      ['archives', archiving?.archives.length ?? 0],
      ['archived removals', archiving?.removals.length ?? 0],
      ['archives refused', archiving?.reports.length ?? 0],
      ['imports from archives', countFromArchives(history)],
      ['sealed items', chain?.items ?? 0],
      ...faults.fired.entries().map(([kind, of]) => [`fault ${kind}`, of] as const),
    ]),
    faultsDrawn: faults.drawn(),
    virtualMs,
    lines: world.lines,
  };
}

/** An end came while its caller waited, and had a time by which its answer was due. */
function isAwaited({ begunAt, endedAt, dueAt }: SeenWait): boolean {
  return dueAt !== null && endedAt !== null && endedAt > begunAt;
}

function countBudgets(dump: Dump | undefined): readonly (readonly [string, number])[] {
  const events = dump?.events ?? [];
  return [
    ['budgets exceeded', events.filter(({ kind }) => kind === 'BudgetExceeded').length],
    ['budgets granted', events.filter(({ payload }) => 'budget_account' in payload).length],
  ];
}

/** Calls that a scheduler took while it left one of another tenant. */
function countTurns(claims: readonly SeenEngineClaim[]): number {
  const contested = claims.filter(({ held, waiting, taken }) => {
    const isTaken = ({ work_item_id: id }: WaitingCall) => taken.includes(id);
    const served = new Set(waiting.filter(isTaken).map(({ tenant_id: tenant }) => tenant));
    const left = waiting.filter((call) => !isTaken(call));
    return (
      held !== null && left.some(({ tenant_id: tenant }) => served.size > 1 || !served.has(tenant))
    );
  });
  return contested.reduce((sum, { taken }) => sum + taken.length, 0);
}

/** The entries of all lists of open approvals. */
function countShown(history: History): number {
  return deedsOf(history, 'list_approvals').reduce((sum, deed) => {
    const shown = success(deed)?.['approvals'];
    return sum + (Array.isArray(shown) ? shown.length : 0);
  }, 0);
}

/** The failures of processes that could still report. */
function failuresIn({ failedArchives }: Cluster): NonNullable<Archiving['failures']> {
  return failedArchives
    .filter(({ process }) => process.isAlive())
    .map(({ process, path }) => ({ process: process.name, path }));
}

function countFromArchives(history: History): number {
  const imports = deedsOf(history, 'import').filter(({ asks }) => asks.isArchived === true);
  return imports.filter((deed) => success(deed)?.['restored'] === true).length;
}

function countReverted(dump: Dump | undefined): number {
  const imports = dump?.imported_executions ?? [];
  return imports.filter((record) => record.retirement_id !== null).length;
}

/** Longer than any policy keeps executions. */
const ALL_DUE_MS = 10 * 86_400_000;
/** Longer than all the steps by which one history sets the clock back. */
const SEALED_AFTER_MS = 60_000;
/** A request that arrives without faults is served within this time. */
const SERVED_MS = 100;
/** How far the clock skips forward while only messages or starts are left. */
const OWED_SKIPPED_MS = 5_000;
/** The interval between checks whether the history has ended. */
const LOOK_MS = 100;
