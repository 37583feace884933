import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';

import { migrateDatabase } from '../../../../src/shared/store/opening/migrate.ts';
import { readMigrations } from '../../../../src/shared/store/opening/migrations.ts';
import { migratePostgres } from '../../../../src/shared/store/postgres/connection/migrator.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  runOnServer,
  type TestDatabase,
} from '../../../support/database.ts';
import { importingOf, makeDocument } from '../../../support/imports.ts';
import { openRetentionScene, startEnded } from '../../engine/retention/retention-scene.ts';
import { makeTenantId, makeUuid } from '../contract/make.ts';
import { partitionAt, partitionPast } from './partition-scene.ts';
import { connectRaw } from './raw-client.ts';
import { withRuntimeRole } from './runtime-role.ts';

/* Attempts of an attacker with the runtime's role to become the owner. */

test('a temporary table in place of the audit log does not run as the owner', async (t) => {
  const database = await migratedDatabase(t);
  const { client, seized } = await attackerOf(t, database);
  await replaceAuditLog(client);
  await retireNothing(client);
  t.deepEqual(seized(), []);
  const { rows } = await client.query(`select event_type from public.audit_log`);
  t.deepEqual(rows, [{ event_type: 'executions_retired' }]);
});

test('an upgrade mends a database in which the attack worked', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const known = await readMigrations('postgres');
  const mend = known.findIndex(({ title }) => title === 'function_search_paths');
  await migratePostgres({ ...database, known: known.slice(0, mend), onApplied: () => undefined });
  const { client, seized } = await attackerOf(t, database);
  await replaceAuditLog(client);
  await retireNothing(client);
  t.is(seized().length, 1);
  await migrateDatabase({ url: database.url });
  await retireNothing(client);
  t.is(seized().length, 1);
});

test('tables in a schema of another name are found after the upgrade', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  await runOnServer(
    database.url,
    `create schema "The ledger"; alter database ${name} set search_path = "The ledger"`,
  );
  await migrateDatabase({ url: database.url });
  const client = await connectRaw(database.url);
  t.teardown(() => client.end());
  await retireNothing(client);
  await partitionPast(database.url);
  await client.query('select extend_event_partitions(), raise_fences()');
  const { rows } = await client.query(
    `select count(*)::int4 as entries from "The ledger".audit_log`,
  );
  t.deepEqual(rows, [{ entries: 1 }]);
});

test('retention removes labels from tables in a schema of another name', async (t) => {
  const database = await createEmptyDatabase();
  t.teardown(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  await runOnServer(
    database.url,
    `create schema ledger; alter database ${name} set search_path = ledger`,
  );
  await migrateDatabase({ url: database.url });
  const client = await connectRaw(database.url);
  t.teardown(() => client.end());
  const uuid = makeUuid();
  await client.query(
    `insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard,
       priority, status, last_sequence, created_at, updated_at, completed_at)
     select '${uuid}', 'default', gen_random_uuid(), 'w', '1', 0, 0, 'completed', 1, i, i, i
     from (select now() - interval '40 days' as i) past`,
  );
  await client.query(
    `insert into execution_labels (execution_id, name, value, tenant_id, created_at)
     values ('${uuid}', 'team', 'blue', 'default', now())`,
  );
  const leaving = JSON.stringify([{ id: uuid, sequence: 1, hashes: 'a'.repeat(64) }]);
  const { rows } = await client.query(
    `select retire_executions('${makeUuid()}', 'default', 'a', '{}', '${leaving}') as removed`,
  );
  t.deepEqual(rows, [{ removed: '1' }]);
  t.deepEqual((await client.query('select name from execution_labels')).rows, []);
  const { rows: strays } = await client.query(
    `select proname from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  t.deepEqual(strays, []);
});

test('no function runs what a caller put in place of tables, types and catalogs', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { database, store, tenantId, seal, age } = scene;
  await partitionPast(database.url);
  const { executionId } = await startEnded(store, { tenantId });
  await seal();
  await age(31);
  const past = await partitionAt(database.url, -38);
  const { client, seized } = await attackerOf(t, database);
  const definers = await definersOf(client);
  await shadowEverything(client);
  const uuid = executionId.replace('exec_', '');
  const leaving = JSON.stringify([{ id: uuid, sequence: 3, hashes: 'a'.repeat(192) }]);
  // Each call with its answer after a complete run.
  const calls: Readonly<Record<string, readonly [call: string, answer: unknown]>> = {
    raise_fences: ['raise_fences()', true],
    heal_event_partitions: ['heal_event_partitions()', false],
    extend_event_partitions: ['extend_event_partitions()', true],
    note_event_partition_swept: [`note_event_partition_swept('${past}')`, null],
    shrink_event_partition: [`shrink_event_partition('${past}', 100, -100000000)`, true],
    drop_event_partition: [`drop_event_partition('${past}')`, true],
    retire_executions: [
      `retire_executions('${makeUuid()}', '${tenantId}', 'a', '{}', '${leaving}')`,
      '1',
    ],
    import_execution: [importCall(), 'imported'],
  };
  t.deepEqual(Object.keys(calls).toSorted(), definers, 'a call for each function of the owner');
  for (const [call, answer] of Object.values(calls)) {
    const { rows } = await client.query<{ readonly answer: unknown }>(`select ${call} as answer`);
    t.deepEqual(rows, [{ answer }], call);
  }
  t.deepEqual(seized(), []);
});

test('triggers judge by the tables, not by temporary ones of their name', async (t) => {
  const scene = await openRetentionScene(t, 'postgres');
  const { executionId } = await startEnded(scene.store, { tenantId: scene.tenantId });
  const { client } = await attackerOf(t, scene.database);
  const uuid = executionId.replace('exec_', '');
  await client.query(
    `create temporary table retired_executions as select '${uuid}'::uuid as execution_id;
     create temporary table executions (id uuid);
     create temporary table pg_class as
       select c.oid, (select r.oid from pg_roles r where r.rolname = current_user) as relowner
       from pg_catalog.pg_class c`,
  );
  await t.throwsAsync(client.query(`delete from public.events where execution_id = '${uuid}'`), {
    message: /DELETE of events is refused/,
  });
  await t.throwsAsync(
    client.query(
      `insert into public.retired_executions (execution_id, tenant_id, retirement_id, event_hashes)
       values ('${uuid}', 't', '${makeUuid()}', '')`,
    ),
    { message: /INSERT of retired_executions is refused/ },
  );
});

test('the documented role makes no temporary tables, functions or types, and no migrations', async (t) => {
  const database = await migratedDatabase(t);
  const role = await withRuntimeRole(t, database.url);
  const client = await connectRaw(role.url);
  t.teardown(() => client.end());
  for (const statement of [
    'create temporary table audit_log (x int)',
    'create function pg_temp.seize() returns int language sql as $$ select 1 $$',
    'create domain pg_temp.uuid as text',
    'create table public.x (x int)',
    'create function public.length(text) returns int language sql as $$ select 1 $$',
    'create schema svc',
    'create trigger x before insert on audit_log for each row execute function refuse_change()',
    'alter table audit_log disable trigger all',
    'create or replace function public.audit_stamp() returns timestamptz language sql as $$ select now() $$',
    `select setval('lease_fence_seq', 1)`,
    'set session_replication_role = replica',
    'delete from schema_migrations',
    `update schema_migrations set checksum = ''`,
  ]) {
    await t.throwsAsync(
      client.query(statement),
      { message: /permission|must be owner/ },
      statement,
    );
  }
  await client.query('select number from schema_migrations');
});

async function migratedDatabase(t: ExecutionContext): Promise<TestDatabase> {
  const database = await createTestDatabase();
  t.teardown(() => database.drop());
  return database;
}

/**
 * A session of the runtime's role where it may still create temporary tables, like PUBLIC by
 * default.
 */
async function attackerOf(
  t: ExecutionContext,
  { url }: { readonly url: string },
): Promise<{ readonly client: pg.Client; readonly seized: () => readonly string[] }> {
  const role = await withRuntimeRole(t, url);
  await runOnServer(
    url,
    `grant temporary on database ${new URL(url).pathname.slice(1)} to ${role.name}`,
  );
  const client = await connectRaw(role.url);
  t.teardown(() => client.end());
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  await client.query(
    `select set_config('svc.tenant', '*', false);
     create function pg_temp.seize() returns boolean language plpgsql as $$
     begin
       if current_user <> session_user then
         raise notice 'runs as %', current_user;
       end if;
       return true;
     end
     $$;
     create function pg_temp.seize_row() returns trigger language plpgsql as $$
     begin
       perform pg_temp.seize();
       return new;
     end
     $$`,
  );
  return { client, seized: () => notices };
}

async function replaceAuditLog(client: pg.Client): Promise<void> {
  await client.query(
    `create temporary table audit_log (like public.audit_log);
     create trigger seize before insert on pg_temp.audit_log
       for each row execute function pg_temp.seize_row()`,
  );
}

async function retireNothing(client: pg.Client): Promise<void> {
  await client.query(
    `select retire_executions(gen_random_uuid(), 'default', 'token:x', '{}', '[]')`,
  );
}

async function definersOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(
    `select p.proname::text as name
     from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and p.prosecdef
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Shadows everything that a body could name without a schema, and the types of its values. */
async function shadowEverything(client: pg.Client): Promise<void> {
  await client.query(
    `do $do$
     declare
       shadowed record;
     begin
       for shadowed in
         select n.nspname as schema, c.relname as name
         from pg_catalog.pg_class c
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
           or n.nspname = 'pg_catalog' and c.relname in ('pg_constraint', 'pg_policies', 'pg_class')
       loop
         execute format(
           'create view pg_temp.%1$I as select * from %2$I.%1$I where pg_temp.seize();
            create trigger seize instead of insert or update or delete on pg_temp.%1$I
              for each row execute function pg_temp.seize_row();
            grant all on pg_temp.%1$I to public',
           shadowed.name, shadowed.schema
         );
       end loop;
       for shadowed in
         select t.typname as name
         from pg_catalog.pg_type t
         where t.typname in ('uuid', 'text', 'timestamptz', 'json', 'bytea', 'int4', 'int8')
       loop
         execute format(
           'create domain pg_temp.%1$I as pg_catalog.%1$I check (pg_temp.seize())', shadowed.name
         );
       end loop;
     end
     $do$`,
  );
}

function importCall(): string {
  const importing = importingOf(makeDocument(), makeTenantId());
  const { execution, definition, events } = importing;
  const json = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  const arriving = {
    id: execution.executionId.replace('exec_', ''),
    definition_id: definition.definitionId,
    workflow_id: definition.workflowId,
    workflow_version: definition.version,
    shard: execution.shard,
    priority: execution.priority,
    status: execution.status,
    created_at: execution.createdAt,
    completed_at: execution.completedAt,
  };
  const registered = {
    definition_id: definition.definitionId,
    workflow_id: definition.workflowId,
    version: definition.version,
    revision: definition.revision,
    ir_hash: definition.irHash,
    ir: definition.ir,
  };
  return `import_execution('${importing.importId}', '${importing.tenantId}', 'token:x', '{}',
    '${importing.documentSha256}', '${importing.eventHashes}', null, ${json(arriving)},
    ${json(events.map((event) => ({ ...event, payload: {} })))}, ${json(registered)}, '{}', '{}', 60000)`;
}
