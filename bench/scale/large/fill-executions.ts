import type pg from 'pg';

import { causeOf } from '../../../src/shared/engine/overview/cause-of.ts';
import { loadInBulk } from './bulk-load.ts';
import type { Templates } from './templates.ts';

export interface Fill {
  readonly executions: number;
  /** One of so many has its events too: histories of all would take more disk than most machines have. */
  readonly eventsOfOneIn: number;
}

/** The oldest is this old, and the newest begins now. */
const DAYS = 90;
const BATCH = 500_000;
const TENANTS = 50;
const WORKFLOWS = 40;
/** Every execution whose number is a multiple is a parent of those that follow. */
const FAMILY = { every: 100, children: 5 };
/** The first execution has so many children besides: a map over a large list. */
const LARGE_FAMILY = 10_000;

/**
 * Executions as a large installation has them: half of them of one tenant, the others of fifty; few
 * workflows run often and many rarely; nearly all have ended well. Number `n` is number `n` by age.
 */
export async function fillExecutions(
  client: pg.Client,
  { executions, eventsOfOneIn }: Fill,
  templates: Templates,
  progress: (text: string) => void = () => {},
): Promise<void> {
  const numbers = numbering(executions);
  const inserts = [
    insertExecutions(numbers),
    insertEvents(numbers, eventsOfOneIn),
    insertLabels(numbers),
    insertDeadLetters(numbers),
    insertApprovals(numbers, eventsOfOneIn),
  ];
  await copyTemplates(client, templates);
  await loadInBulk(client, TABLES, async () => {
    for (let from = 1; from <= executions; from += BATCH) {
      const to = Math.min(executions, from + BATCH - 1);
      for (const insert of inserts) await client.query(insert, [from, to]);
      progress(`${to} of ${executions}`);
    }
    progress('indexes');
  });
}

const TABLES = ['executions', 'events', 'execution_labels', 'dead_letters', 'approvals'];

/** The tables that grow are read no more. */
async function copyTemplates(client: pg.Client, templates: Templates): Promise<void> {
  const ids = Object.values(templates).map((id) => id.replace(/^exec_/, ''));
  await client.query(
    `create temp table template as
     select e.*, t.rank
     from executions e
     join unnest($1::uuid[]) with ordinality as t (id, rank) on t.id = e.id`,
    [ids],
  );
  await client.query(
    `create temp table template_event as
     select t.rank, v.*
     from template t
     join events v on v.execution_id = t.id`,
  );
  await client.query('analyze template, template_event');
}

/** SQL for what number `n` has: its time, its id, and its place in 0…1, without a call for each row. */
function numbering(executions: number) {
  const now = Date.now();
  const stepMs = (DAYS * DAY_MS) / executions;
  const ms = (n: string): string => `(${now - DAYS * DAY_MS} + ((${n}) * ${stepMs})::int8)`;
  return {
    at: (n: string) => `to_timestamp(${ms(n)} / 1000.0)`,
    id: (n: string) =>
      `(lpad(to_hex(${ms(n)}), 12, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`,
  };
}

type Numbering = ReturnType<typeof numbering>;

const DAY_MS = 86_400_000;

const TENANT = `case when n % 2 = 0 then 'default' else 'tenant-' || n / 2 % ${TENANTS} end`;
const WORKFLOW = `'workflow-' || (${WORKFLOWS} * ${part('n * 131')} ^ 3)::int`;

/** That of the template in the order of `Templates`. */
const RANK = `case
    when ${part('n')} < 0.94 then 1
    when ${part('n')} < 0.97 then 2
    when ${part('n')} < 0.98 then 3
    when ${part('n')} < 0.99 then 4
    else 5
  end`;
const FAILED = 2;
const PAUSED = 5;

/** Messages of failures end with the number; their keys are as a commit keeps them. */
const OF_ITEMS = failuresWith('');
const OF_EXECUTIONS = failuresWith('node a failed: ');

/** SQL for the message of number `n` and its key: one of some causes. */
function failuresWith(prefix: string) {
  const causes = Array.from('abcdefghijklmnopqrstu', (letter) => `${prefix}cause ${letter} at `);
  const cause = `(${causes.length - 1} * ${part('n * 173')})::int + 1`;
  const errors = causes.map((error) => `'${error}'`).join(', ');
  const keys = causes.map((error) => causeOf(`${error}1`, 'error').causeKey).join(', ');
  return {
    error: `(array[${errors}])[${cause}] || n`,
    causeKey: `(array[${keys}]::int8[])[${cause}]`,
  };
}

/** SQL for a number in 0…1 that looks random. With small factors of `n`, two such numbers would depend on each other. */
function part(n: string): string {
  return `((${n}) * 2654435761 % 4294967296 / 4294967296.0::float8)`;
}

function insertExecutions({ at, id }: Numbering): string {
  return `
  insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
    parent_execution_id, status, last_sequence, error, error_class, error_node_id, cause_key,
    created_at, updated_at, completed_at)
  select ${id('n')}, ${TENANT}, t.definition_id, ${WORKFLOW}, '1', n % 64, 5,
    case
      when n % ${FAMILY.every} between 1 and ${FAMILY.children}
        then ${id(`n - n % ${FAMILY.every}`)}
      when n between 2 and ${2 * LARGE_FAMILY} and n % 2 = 0 then ${id('0::int8')}
    end,
    t.status, t.last_sequence, ${ifFailed(OF_EXECUTIONS.error)},
    t.error_class, t.error_node_id, ${ifFailed(OF_EXECUTIONS.causeKey)}, ${at('n')}, ${at('n')},
    case when t.completed_at is not null then ${at('n')} + interval '1 second' end
  from generate_series($1::int8, $2::int8) as n
  join template t on t.rank = ${RANK}`;
}

function ifFailed(sql: string): string {
  return `case when t.rank = ${FAILED} then ${sql} end`;
}

function insertEvents({ at, id }: Numbering, eventsOfOneIn: number): string {
  return `
  insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
  select ${id('n')}, v.sequence, v.kind, v.node_id, v.payload, v.actor_id,
    ${at('n')} + v.sequence * interval '10 milliseconds'
  from generate_series($1::int8, $2::int8) as n
  join template_event v on v.rank = ${RANK}
  where n % ${eventsOfOneIn} = 0`;
}

/**
 * Every execution has a customer: few have many of them, and most have few. One in four has a region, and
 * few have an incident.
 */
function insertLabels({ at, id }: Numbering): string {
  return `
  insert into execution_labels (execution_id, name, value, tenant_id, created_at)
  select ${id('n')}, l.name, l.value, ${TENANT}, ${at('n')}
  from generate_series($1::int8, $2::int8) as n
  cross join lateral (
    values
      ('customer', 'customer-' || (${CUSTOMERS} * ${part('n * 211')} ^ 3)::int),
      ('region', case when n % 8 < 2 then 'region-' || n / 8 % 3 end),
      ('incident', case when n % ${INCIDENT_EVERY} = 0 then 'incident-1' end)
  ) l (name, value)
  where l.value is not null`;
}

const CUSTOMERS = 500;
const INCIDENT_EVERY = 100_000;

/** Every failed execution has a dead letter, for the same cause. */
function insertDeadLetters({ at, id }: Numbering): string {
  return `
  insert into dead_letters (work_item_id, execution_id, tenant_id, workflow_id, node_id, queue, tool,
    attempt, error, error_class, cause_key, dead_lettered_at)
  select ${id('n')}, ${id('n')}, ${TENANT}, ${WORKFLOW}, 'a', 'python_fn', 'bench.work', 3,
    ${OF_ITEMS.error}, 'error', ${OF_ITEMS.causeKey}, ${at('n')} + interval '1 second'
  from generate_series($1::int8, $2::int8) as n
  where ${RANK} = ${FAILED}`;
}

/** Those of paused executions that have their events: a list of approvals shows what these ask. */
function insertApprovals({ at, id }: Numbering, eventsOfOneIn: number): string {
  return `
  insert into approvals (execution_id, sequence, tenant_id, node_id, visit, requested_at)
  select ${id('n')}, v.sequence, ${TENANT}, v.node_id, 0, ${at('n')}
  from generate_series($1::int8, $2::int8) as n
  join template_event v on v.rank = ${PAUSED} and v.kind = 'ApprovalRequested'
  where n % ${eventsOfOneIn} = 0
    and ${RANK} = ${PAUSED}`;
}

/** As if sealed every ten minutes: how far a page of the audit log reaches back is found by the seals. */
export async function fillSeals(client: pg.Client): Promise<void> {
  await client.query(INSERT_WINDOWS);
  await client.query(INSERT_SEALS);
  await client.query('vacuum analyze audit_windows, audit_seals');
}

const WINDOW = `interval '10 minutes'`;

const INSERT_WINDOWS = `
  insert into audit_windows (window_number, covers_from, covers_to, previous_hash, hash, sealed_at)
  select row_number() over (order by w), w, w + ${WINDOW}, repeat('0', 64), repeat('0', 64), w + ${WINDOW}
  from (
    select generate_series(
      date_bin(${WINDOW}, min(x.created_at), timestamptz 'epoch'), max(x.created_at), ${WINDOW}
    ) as w
    from executions x
  ) n`;

const INSERT_SEALS = `
  insert into audit_seals (tenant_id, seal_number, window_number, covers_from, covers_to, item_count,
    members, previous_hash, hash)
  select i.tenant_id, row_number() over (partition by i.tenant_id order by w.window_number),
    w.window_number, w.covers_from, w.covers_to, i.items, '[]', repeat('0', 64), repeat('0', 64)
  from (
    select x.tenant_id, date_bin(${WINDOW}, e.created_at, timestamptz 'epoch') as covers_from,
      count(*) as items
    from events e
    join executions x on x.id = e.execution_id
    group by 1, 2
  ) i
  join audit_windows w on w.covers_from = i.covers_from`;
