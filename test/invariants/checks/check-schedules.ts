import type { Dump, ScheduleOf } from '../dump.ts';
import { violations, type Violation } from '../violation.ts';

/** Schedules that fire every second: a fire is decided once, and starts at most one execution. */
export function checkSchedules(dumps: readonly Dump[]): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [
    ...dumps.slice(1).flatMap((dump, index) => checkDecided(dumps[index] ?? dump, dump)),
    ...dumps.flatMap(checkStarted),
    ...dumps.flatMap(checkOverlap),
  ];
}

const EVERY_MS = 1_000;

function decided(of: ScheduleOf): number {
  const { started, skipped, missed, failed, waiting_fire_at, starting_fire_at } = of;
  const open = [waiting_fire_at, starting_fire_at].filter((fire) => fire !== null).length;
  return started + skipped + missed + failed + open;
}

function checkDecided(earlier: Dump, later: Dump): Violation[] {
  const before = new Map(earlier.schedules?.map((row) => [row.name, row]));
  return violations('each fire of a schedule is decided once', later.schedules ?? [], (now) => {
    const then = before.get(now.name);
    if (then === undefined) return null;
    // A caller may have paused and resumed the schedule in between, which skips fires.
    if (then.revision !== now.revision) return null;
    if (then.next_fire_at === null || now.next_fire_at === null) return null;
    const passed = (now.next_fire_at - then.next_fire_at) / EVERY_MS;
    const counted = decided(now) - decided(then);
    if (passed === counted) return null;
    return {
      about: { schedule: now.name, tenant: now.tenant_id },
      saw: `${passed} fires went by, ${counted} were decided`,
    };
  });
}

function startsOf(dump: Dump, { name }: ScheduleOf): string[] {
  return dump.events
    .filter(
      ({ kind, actor_id: actor, payload }) =>
        kind === 'WorkflowStarted' &&
        actor === `schedule:${name}` &&
        payload['continued_from'] === undefined,
    )
    .map((event) => event.execution_id);
}

function checkStarted(dump: Dump): Violation[] {
  return violations('each fire of a schedule starts once', dump.schedules ?? [], (row) => {
    const found = startsOf(dump, row).length;
    const most = row.started + (row.starting_fire_at === null ? 0 : 1);
    if (found >= row.started && found <= most) return null;
    return {
      about: { schedule: row.name, tenant: row.tenant_id },
      saw: `${found} executions, ${row.started} of them counted`,
    };
  });
}

function checkOverlap(dump: Dump): Violation[] {
  const live = new Set(
    dump.executions
      .filter(({ status }) => status === 'running' || status === 'paused')
      .map(({ id }) => id),
  );
  const alone = (dump.schedules ?? []).filter((row) => row.overlap_policy !== 'allow');
  return violations('fires overlap only where the policy allows it', alone, (row) => {
    const found = startsOf(dump, row).filter((id) => live.has(id)).length;
    if (found <= 1) return null;
    return {
      about: { schedule: row.name, policy: row.overlap_policy },
      saw: `${found} of its executions are live`,
    };
  });
}
