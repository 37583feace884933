import type { ExecutionContext } from 'ava';

import { createCpu } from '../../../../src/scheduler/pool/pool.ts';
import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { Schedule, ScheduleSpec } from '../../../../src/shared/domain/schedules/schedule.ts';
import {
  createScheduleFiring,
  type ScheduleFiring,
} from '../../../../src/shared/engine/schedules/fire-schedules.ts';
import type { Dialect } from '../../../support/database.ts';
import { openTestEngine, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { makeTenantId } from '../../store/contract/make.ts';

export const DIALECTS: readonly Dialect[] = ['sqlite', 'postgres'];

export type ScheduleScene = Awaited<ReturnType<typeof openScene>>;

/** A tenant with schedules, and an engine that fires them on request. */
export async function openScene(t: ExecutionContext, dialect: Dialect) {
  const database = await openTestStore(dialect);
  const { store } = database;
  const cpu = createCpu({ threads: 1 });
  const runtime = openTestEngine({ store, cpu });
  const { engine, wake, report } = runtime;
  t.teardown(async () => {
    await runtime.scheduling.drain({ deadlineMs: 2_000 });
    await cpu.close();
    await database.close();
  });
  const tenantId = makeTenantId();
  const actorId = 'token:ops';
  const counts = new Map<string, number>();

  /** The schedule firing of one more process; `faulty` overrides calls of the engine. */
  function openFiring(faulty: Partial<TestEngine['engine']> = {}): ScheduleFiring {
    const calls = { ...engine, ...faulty };
    return createScheduleFiring({
      store: store.schedules,
      executions: store.executions,
      start: (caller, params) => calls.startExecution({ ...caller, ...params }),
      cancel: (caller, ref) => calls.cancelExecution({ ...caller, ...ref }),
      wake,
      report: {
        count(_, by, labels) {
          const outcome = labels?.['outcome'] ?? '';
          counts.set(outcome, (counts.get(outcome) ?? 0) + by);
        },
        trouble: (what, error) => report.trouble(what, error),
      },
    });
  }
  const firing = openFiring();

  /** A workflow that waits for a person, so that its executions stay live. */
  async function register(workflowId: string, ir: JsonObject = APPROVAL): Promise<void> {
    await engine.registerWorkflow({ tenantId, actorId, ir: { workflow_id: workflowId, ...ir } });
  }
  await register('w');

  async function create(changes: Partial<ScheduleSpec> = {}, name = 'yearly'): Promise<Schedule> {
    const spec = { ...SPEC, ...changes };
    const made = await engine.putSchedule({ tenantId, actorId, name, spec });
    return made.schedule.schedule;
  }

  async function find(schedule = 'yearly'): Promise<Schedule> {
    const found = await store.schedules.find({ tenantId, schedule });
    if (found === null) throw new Error(`there is no schedule ${schedule}`);
    return found;
  }

  /** Moves the next fire of a schedule to `fireAt`. */
  async function moveTo(fireAt: string, name = 'yearly'): Promise<void> {
    const { scheduleId, turn, position } = await find(name);
    const moved = { ...position, nextFireAt: fireAt };
    const none = { started: 0, skipped: 0, missed: 0, failed: 0 };
    const change = { scheduleId, turn, position: moved, dueAt: fireAt, counts: none, error: null };
    if (!(await store.schedules.turn(change))) throw new Error('something else has moved it');
  }

  async function secondsAgo(seconds: number): Promise<string> {
    return new Date(Date.parse(await store.schedules.now()) - seconds * 1_000).toISOString();
  }

  /** Makes a schedule overdue by this many seconds, fires it, and returns the time of the fire. */
  async function fire(seconds = 1, name = 'yearly'): Promise<string> {
    const fireAt = await secondsAgo(seconds);
    await moveTo(fireAt, name);
    await firing.round();
    return fireAt;
  }

  async function executions() {
    const all = { status: null, workflowId: null, createdAfter: null, createdBefore: null };
    const page = { cursor: null, limit: 500, offset: 0 };
    return store.executions.list({ tenantId, ...all, ...page });
  }

  return {
    database,
    store,
    engine,
    wake,
    schedules: { update: engine.updateSchedule, remove: engine.deleteSchedule },
    tenantId,
    actorId,
    counts,
    firing,
    openFiring,
    register,
    create,
    find,
    moveTo,
    secondsAgo,
    fire,
    executions,
    troubles: runtime.troubles,
    settle: runtime.settle,
    statuses: async () => (await executions()).map(({ status }) => status).toReversed(),
    /** Makes pending turns count as interrupted. */
    lapse: () => database.age({ table: 'schedules', columns: ['due_at'], byMs: 86_400_000 * 400 }),
  };
}

export async function limit(
  scene: ScheduleScene,
  tenantId: TenantId,
  executionsMax: number,
): Promise<void> {
  const { store, actorId, engine } = scene;
  await store.tenants.create({ tenantId, name: 'x', actorId });
  const limits = { max_concurrent_executions: executionsMax };
  const changes = { name: null, status: null, policy: null, limits };
  await engine.updateTenant({ tenantId, changes, actorId });
}

const APPROVAL: JsonObject = { nodes: { ask: { kind: 'human_approval', description: 'ok?' } } };

/** Its own fire is far away, as long as the test does not run at New Year. */
const SPEC: ScheduleSpec = {
  workflowId: 'w',
  workflowVersion: null,
  input: { from: 'clock' },
  cronExpression: '0 0 1 1 *',
  every: null,
  timezone: 'Europe/Berlin',
  overlapPolicy: 'skip',
  catchupWindowSecs: 60,
  paused: false,
};
