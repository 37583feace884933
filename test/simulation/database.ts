import Database from 'better-sqlite3';

import { createIds } from '../../src/shared/clients/system-ids.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import type { TenantLimits } from '../../src/shared/domain/tenant.ts';
import { compilePlan } from '../../src/shared/domain/workflow/plan/compile-plan.ts';
import type { Plan } from '../../src/shared/domain/workflow/plan/plan.ts';
import { workersKeyOf } from '../../src/shared/domain/work/fair-queue.ts';
import { composeRuntime } from '../../src/runtime/compose.ts';
import { callsOf } from '../support/engine-calls.ts';
import { createWebhook } from '../../src/shared/engine/webhooks/create-webhook.ts';
import { createKindRegistry, NODE_KINDS } from '../../src/shared/nodes/index.ts';
import type { Cpu } from '../../src/shared/ports/cpu.ts';
import { readMigrations } from '../../src/shared/store/opening/migrations.ts';
import { connectTo } from '../../src/shared/store/sqlite/connection/connect.ts';
import { createSqliteStore } from '../../src/shared/store/sqlite/open.ts';
import type { Store, StoredDefinition } from '../../src/shared/store/store.ts';
import { readSqliteDump } from '../invariants/read-sqlite-dump.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';
import type { WaitingCall } from '../invariants/checks/check-tenant-turns.ts';
import type { Waiting } from '../invariants/checks/check-turns.ts';
import type { Dump } from '../invariants/dump.ts';
import { createDice } from './dice.ts';
import { OPEN_BOX } from './receiver.ts';
import { effectKind, EXECUTIONS_MAX, LIMITED_TENANT, TENANTS, WORKFLOWS } from './workflows.ts';

/**
 * The database of all histories of one run, in memory, with tenants and workflows. Between two
 * histories it is emptied, which costs far less than a new database.
 *
 * The database never dies, but processes do. A transaction is one synchronous call, so it takes
 * effect as a whole. Reads and unsent writes of a process die with it.
 */
export interface SimulatedDatabase {
  readonly store: Store;
  /** The store, as a new process has it: what it keeps in its memory is its own. */
  openProcess(): Store;
  /** Compiles stored definitions, once for all histories. */
  readonly compile: (definition: StoredDefinition) => Plan;
  /** The database's clock in Unix milliseconds; the current history moves it. */
  readonly clock: { now: () => number };
  /** Creates a webhook of the tenant. */
  tell(tenantId: string): Promise<void>;
  dump(params?: { readonly isLast: boolean }): Omit<Dump, 'takenAt'>;
  /** Sets how long executions of the tenant are kept, instead of the configured time. */
  keep(tenantId: string, days: KeptDays): Promise<void>;
  /** Moves the starts and ends of all executions back by `ms`, and the times of imports. */
  age(ms: number): void;
  /** The number of live executions, of timers, and of workflows that are being resumed. */
  unfinished(): number;
  /** The number of undelivered messages, and of fires that are being started. */
  owed(): number;
  /** The write order of messages by their ids, which don't come from the seed. */
  messages(): ReadonlyMap<string, number>;
  /** The items that wait for workers, below no quota. */
  waiting(): readonly Waiting[];
  /** The items of active tenants that wait for schedulers, in these shards. */
  waitingCalls(shards: readonly number[] | null): readonly WaitingCall[];
  /**
   * The number of writes and deletions so far, by any process. A place of a quota whose item has ended
   * counts until a scheduler gives it back, so that this changes nothing.
   */
  changes(): number;
  /** `queuesStarts`: whether starts beyond the limit of a tenant wait. */
  reset(of: { readonly queuesStarts: boolean }): void;
  close(): Promise<void>;
}

export const EPOCH_MS = Date.UTC(2030, 0, 1);
export const KINDS = createKindRegistry([...NODE_KINDS, effectKind]);
export const NO_POOL: Cpu = {
  validateSchema: () => Promise.resolve([]),
  checkSchema: () => Promise.resolve([]),
  simulate: () => Promise.reject(new Error('nothing is simulated here')),
  readDocument: () => Promise.reject(new Error('no document is read here')),
  decide: () => Promise.reject(new Error('no state of a history is large')),
};

export async function openSimulatedDatabase(): Promise<SimulatedDatabase> {
  const database = new Database(':memory:');
  for (const { sql } of await readMigrations('sqlite')) database.exec(sql);
  database.pragma('foreign_keys = on');
  const clock = { now: () => EPOCH_MS };
  const connection = connectTo(database, {
    path: ':memory:',
    clock: () => Math.floor(clock.now()),
  });
  const store = createSqliteStore(connection);
  await fill(store);
  const tables = emptyAgain(database);
  const unfinished = database
    .prepare<[], number>(
      `select (select count(*) from executions where status in ('running', 'paused'))
         + (select count(*) from timers)
         + (select count(*) from workflow_pauses where resumed_at is not null)`,
    )
    .pluck();
  const owed = database
    .prepare<[], number>(
      `select (select count(*) from webhook_deliveries where status = 'pending')
         + (select count(*) from schedules where starting_fire_at is not null)`,
    )
    .pluck();
  const aging = database.prepare<[number, number]>(
    'update executions set created_at = created_at - ?, completed_at = completed_at - ?',
  );
  // The times of the record prove nothing, and retention counts from them.
  database.exec('drop trigger if exists imported_executions_refuse_update');
  const agingOfImports = database.prepare<[number]>(
    'update imported_executions set imported_at = imported_at - ?',
  );
  const messages = database
    .prepare<[], [string, number]>('select delivery_id, seq from webhook_deliveries')
    .raw();
  const waiting = database.prepare<[], Waiting & { readonly priority: number }>(
    `select work_item_id, execution_id, queue_key as line, priority, seq as place
     from work_queue
     where queue <> 'engine' and instr(queue_key, '#') = 0`,
  );
  const waitingCalls = database.prepare<[number], WaitingCall & { readonly shard: number }>(
    `select work_item_id, tenant_id, priority, seq, shard
     from work_queue
     where queue_key = 'engine'
       and tenant_id in (select id from tenants where status = 'active')
       and (start_before is null or start_before > ?)`,
  );
  const changes = database
    .prepare<[], number>('select total_changes() + (select count(*) from quota_places)')
    .pluck();
  return {
    store,
    openProcess: () => createSqliteStore({ ...connection }),
    compile: compileOnce(),
    clock,
    tell: async (tenantId) => {
      const deps = {
        store,
        ids: { uuid: () => `hook of ${tenantId}` },
        secrets: OPEN_BOX,
        randomBytes: (size: number) => new Uint8Array(size),
        checkUrl: () => {},
      };
      const caller = { tenantId: tenantId as TenantId, actorId: 'token:template' };
      const url = 'https://receiver.example/';
      await createWebhook(deps, caller, { url, eventTypes: null });
    },
    keep: (tenantId, days) =>
      store.retention.setPolicy({
        tenantId: tenantId as TenantId,
        workflowId: null,
        days,
        actorId: 'token:template',
      }),
    age: (ms) => {
      aging.run(ms, ms);
      agingOfImports.run(ms);
    },
    dump: (params) => readSqliteDump(database, params),
    unfinished: () => unfinished.get() ?? 0,
    owed: () => owed.get() ?? 0,
    messages: () => new Map(messages.all()),
    waiting: () =>
      waiting.all().map(({ priority, ...row }) => ({
        ...row,
        line: `${workersKeyOf(row.line)} ${priority}`,
      })),
    waitingCalls: (shards) =>
      waitingCalls
        .all(Math.floor(clock.now()))
        .filter(({ shard }) => shards === null || shards.includes(shard)),
    changes: () => changes.get() ?? 0,
    reset: tables.reset,
    close: () => store.close(),
  };
}

function compileOnce(): SimulatedDatabase['compile'] {
  const plans = new Map<string, Plan>();
  return ({ definitionId, ir }) => {
    const plan = plans.get(definitionId) ?? compilePlan(ir, KINDS);
    plans.set(definitionId, plan);
    return plan;
  };
}

async function fill(store: Store): Promise<void> {
  const dice = createDice('template');
  const { engine: deps } = composeRuntime({
    store,
    ids: createIds({ now: () => EPOCH_MS, randomBytes: dice.bytes }),
    cpu: NO_POOL,
    settings: {
      leaseMs: 1_000,
      processId: 'template',
      version: '0.0.0',
      descendantsMax: 20_000,
      inputBytesMax: 4_194_304,
      host: 'simulation',
    },
    report: { count: () => {}, observe: () => {}, trouble: () => {} },
    kinds: KINDS,
    randomBytes: dice.bytes,
    runners: () => new Map(),
  });
  const engine = callsOf(deps);
  const by = { actorId: 'token:template' };
  for (const name of TENANTS) {
    const tenantId = name as TenantId;
    await engine.createTenant({ ...by, tenantId, name });
    for (const [workflowId, ir] of Object.entries(WORKFLOWS)) {
      await engine.registerWorkflow({ ...by, tenantId, ir: { workflow_id: workflowId, ...ir } });
    }
  }
}

function limitsWith({ queuesStarts }: { readonly queuesStarts: boolean }): TenantLimits {
  const whenFull = queuesStarts ? 'queue' : 'refuse';
  return { max_concurrent_executions: EXECUTIONS_MAX, when_full: whenFull };
}

/** Empties the tables that histories fill, after dropping triggers that refuse deletions. */
function emptyAgain(database: Database.Database): Pick<SimulatedDatabase, 'reset'> {
  const names = database
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all()
    .filter((name) => !name.startsWith('sqlite_') && !KEPT.has(name));
  for (const name of names) database.exec(`drop trigger if exists ${name}_refuse_delete`);
  const deletions = names.map((name) => database.prepare(`delete from ${name}`));
  const tenants = database.prepare(`update tenants set status = 'active'`);
  const fence = database.prepare('update lease_fence set last = 0');
  const auditKept = database
    .prepare<[], number>('select coalesce(max(rowid), 0) from audit_log')
    .pluck()
    .get();
  const audit = database.prepare('delete from audit_log where rowid > ?');
  const limits = database.prepare('update tenants set limits = ? where id = ?');
  const reset = database.transaction((of: { readonly queuesStarts: boolean }) => {
    for (const deletion of deletions) deletion.run();
    audit.run(auditKept);
    fence.run();
    tenants.run();
    limits.run(JSON.stringify(limitsWith(of)), LIMITED_TENANT);
  });
  database.exec('drop trigger if exists audit_log_refuse_delete');
  return { reset };
}

const KEPT = new Set(['schema_migrations', 'lease_fence', 'tenants', 'definitions', 'audit_log']);
