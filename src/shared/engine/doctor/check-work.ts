import { tellDuration } from '../../domain/execution/explain/scene.ts';
import type { WorkflowPause } from '../../domain/workflow/workflow-pause.ts';
import type { InstallationFacts, Overdue } from '../../store/installation.ts';
import { SHARD_COUNT } from '../../store/store.ts';
import { type Check, fail, type Finding, ok, type TableReadings, warn } from './check.ts';
import type { Limits } from './limits.ts';

type Tables = TableReadings;

/** A check of what our tables hold. */
function onTables(name: string, judge: (tables: Tables, limits: Limits) => Finding): Check {
  return {
    name,
    needs: 'tables',
    judge: ({ tables }, limits) => (tables === null ? null : judge(tables, limits)),
  };
}

const START_SCHEDULER = 'start a process with the scheduler role: svc serve, or svc-scheduler';

function schedulersOf({ processes }: InstallationFacts): number {
  return processes.filter(({ isSeen, role }) => isSeen && role !== 'api').length;
}

const processes = onTables('processes', (tables) => {
  const seen = tables.processes.filter(({ isSeen }) => isSeen);
  const silent = tables.processes.length - seen.length;
  const roles = Map.groupBy(seen, ({ role }) => role);
  const versions = [...new Set(seen.map(({ version }) => version))];
  const counts = roles.entries().map(([role, of]) => `${of.length} ${role}`);
  const told = [
    seen.length === 0 ? 'none' : [...counts].join(', '),
    ...(versions.length > 0 ? [`version ${versions.join(', ')}`] : []),
    ...(silent > 0 ? [`${silent} silent for more than 60 s`] : []),
  ].join('; ');
  if (schedulersOf(tables) === 0) return fail(`${told}; no scheduler`, START_SCHEDULER);
  if (versions.length > 1) return warn(told, 'bring all processes to one version');
  return ok(told);
});

/** Locks only spare work, and a shard that nobody holds is still swept now and then, but slowly. */
const shards: Check = {
  name: 'shards',
  needs: 'tables',
  judge({ server, tables }) {
    if (server.dialect !== 'postgres' || tables === null) return null;
    const holders = server.lockHolders.filter((holder) => holder.shards > 0);
    const held = holders.reduce((sum, holder) => sum + holder.shards, 0);
    const who = holders.map(
      ({ pid, applicationName, ...of }) => `${pid} ${applicationName}: ${of.shards}`,
    );
    const duties = server.lockHolders.filter((holder) => holder.duties > 0).map(({ pid }) => pid);
    const seen = [
      `${held} of ${SHARD_COUNT} worked`,
      ...(who.length > 0 ? [who.join(', ')] : []),
      ...(duties.length > 0 ? [`duties: ${duties.join(', ')}`] : []),
    ].join('; ');
    if (held >= SHARD_COUNT) return ok(seen);
    if (schedulersOf(tables) === 0) return fail(seen, START_SCHEDULER);
    return warn(seen, 'look again in a few seconds; if it stays, see the logs of the schedulers');
  },
};

const queues = onTables('queues', (tables, { queueWaitMsWarn }) => {
  const [oldest] = tables.queues;
  if (oldest === undefined) return ok('nothing waits');
  const waits = (at: string): number => Date.parse(tables.now) - Date.parse(at);
  const unserved = tables.queues.filter(({ workersSeen }) => workersSeen === 0);
  const [first = oldest] = unserved;
  const name = (queue: typeof first): string =>
    queue.tenantId === null ? queue.queue : `${queue.tenantId}/${queue.queue}`;
  const told = ` ${first.items} in ${name(first)}, the oldest for ${tellDuration(waits(first.oldestAt))}`;
  if (unserved.length > 0) {
    return warn(
      `${unserved.length} of ${tables.queuesTotal} without workers:${told}`,
      `start a worker that claims from ${first.queue}`,
    );
  }
  const seen = `${tables.queuesTotal} in use:${told}`;
  return waits(oldest.oldestAt) >= queueWaitMsWarn ? warn(seen, 'start more workers') : ok(seen);
});

const leases = overdueCheck('leases', 'lapsed and not taken back', (tables) => tables.lapsedLeases);
const timers = overdueCheck('timers', 'due and not fired', (tables) => tables.overdueTimers);
const retries = overdueCheck('retries', 'due and not queued', (tables) => tables.overdueRetries);

function overdueCheck(name: string, what: string, of: (tables: Tables) => Overdue): Check {
  return onTables(name, (tables, { overdueMsMax }) => {
    const { count, oldestAt } = of(tables);
    if (oldestAt === null) return ok('none to be seen to');
    const lateMs = Date.parse(tables.now) - Date.parse(oldestAt);
    const seen = `${count} ${what}, the oldest for ${tellDuration(lateMs)}`;
    if (lateMs < overdueMsMax) return ok(seen);
    return fail(
      seen,
      schedulersOf(tables) === 0 ? START_SCHEDULER : 'see what the logs of the schedulers say',
    );
  });
}

const deadLetters = onTables('dead letters', ({ deadLetters: { total, lastDay } }) => {
  const seen = `${total}, ${lastDay} of the last day`;
  return lastDay > 0
    ? warn(seen, 'see why (GET /work-items?status=dead_lettered), and put back what can be')
    : ok(seen);
});

const executions = onTables('executions', ({ stuck, liveExecutions }) => {
  const { broken, needy, resting, looked } = stuck;
  if (liveExecutions === 0) return ok('none is live');
  const seen = `${liveExecutions} live; of the ${looked} oldest ${resting} do not move`;
  const [worst] = [...broken, ...needy];
  if (worst === undefined) return ok(seen);
  const told = `${seen}; ${worst.executionId}: ${worst.message}`;
  const { unblockedBy } = worst;
  return broken.length > 0 ? fail(told, unblockedBy) : warn(told, unblockedBy);
});

/** A pause is intended, but a pause of several days may be forgotten. */
const pauses = onTables('paused workflows', (tables, { overdueMsMax, pauseMsWarn }) => {
  const { pauses: all } = tables;
  if (all.length === 0) return ok('none');
  const age = (since: string): number => Date.parse(tables.now) - Date.parse(since);
  const told = (pause: WorkflowPause): string =>
    `${pause.tenantId}/${pause.workflowId} by ${pause.by} for ${tellDuration(age(pause.pausedAt))}`;
  const late = all.find(
    ({ resumed, sweptAt, pausedAt }) =>
      (resumed !== null || sweptAt === null) && age(resumed?.at ?? pausedAt) >= overdueMsMax,
  );
  if (late !== undefined) {
    const what = late.resumed === null ? 'not all of it held yet' : 'not all given back yet';
    const seen = `${told(late)}: ${what}`;
    if (schedulersOf(tables) === 0) return fail(seen, START_SCHEDULER);
    return warn(seen, 'svc workflow show tells how it gets on; if it does not, see the logs');
  }
  const standing = all.filter(({ resumed }) => resumed === null);
  const [oldest] = standing.toSorted((one, other) => one.pausedAt.localeCompare(other.pausedAt));
  if (oldest === undefined) return ok('those that were are being given back');
  const seen = `${standing.length}, the longest ${told(oldest)}`;
  if (age(oldest.pausedAt) < pauseMsWarn) return ok(seen);
  return warn(seen, 'if that was forgotten: svc workflow resume');
});

export const WORK_CHECKS = [
  processes,
  shards,
  queues,
  leases,
  timers,
  retries,
  deadLetters,
  pauses,
  executions,
];
