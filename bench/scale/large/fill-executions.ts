import type pg from 'pg';

import { causeOf } from '../../../src/shared/engine/overview/cause-of.ts';
import type { Templates } from './templates.ts';

export interface Fill {
  readonly executions: number;
  /** One of so many has its events too: histories of all would take more disk than most machines have. */
  readonly eventsOfOneIn: number;
}

/** The newest is this young, the oldest this old. */
const DAYS = { newest: 1, oldest: 90 };
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
  await client.query('set synchronous_commit = off');
  await client.query(
    `create temp table template as
     select e.*, t.rank
     from executions e
     join unnest($1::uuid[]) with ordinality as t (id, rank) on t.id = e.id`,
    [Object.values(templates).map((id) => id.replace(/^exec_/, ''))],
  );
  for (let from = 1; from <= executions; from += BATCH) {
    const to = Math.min(executions, from + BATCH - 1);
    await client.query(insertExecutions(numbers), [from, to]);
    await client.query(insertEvents(numbers), [from, to, eventsOfOneIn]);
    await client.query(insertLabels(numbers), [from, to]);
    await client.query(insertDeadLetters(numbers), [from, to]);
    await client.query(insertApprovals(numbers), [from, to, eventsOfOneIn]);
    await client.query('checkpoint');
    progress(`${to} of ${executions}`);
  }
  await client.query('vacuum analyze');
}

/** SQL for the time and the id of number `n`, and for its place in 0…1, without a call for each row. */
function numbering(executions: number) {
  const now = Date.now();
  const stepMs = ((DAYS.oldest - DAYS.newest) * DAY_MS) / executions;
  const ms = (n: string): string => `(${now - DAYS.oldest * DAY_MS} + ((${n}) * ${stepMs})::int8)`;
  return {
    at: (n: string) => `to_timestamp(${ms(n)} / 1000.0)`,
    id: (n: string) =>
      `(lpad(to_hex(${ms(n)}), 12, '0') || '70008000' || lpad(to_hex(${n}), 12, '0'))::uuid`,
    part: (n: string) => `((${n}) * 2654435761 % 4294967296 / 4294967296.0::float8)`,
  };
}

const DAY_MS = 86_400_000;

const TENANT = `case when n % 2 = 0 then 'default' else 'tenant-' || n / 2 % ${TENANTS} end`;

function insertExecutions({ at, id, part }: Numbering): string {
  return `
  insert into executions (id, tenant_id, definition_id, workflow_id, workflow_version, shard, priority,
    parent_execution_id, status, last_sequence, error, error_class, error_node_id, cause_key,
    created_at, updated_at, completed_at)
  select ${id('n')}, ${TENANT},
    t.definition_id, 'workflow-' || (${WORKFLOWS} * ${part('n * 31')} ^ 3)::int, '1', n % 64, 5,
    case
      when n % ${FAMILY.every} between 1 and ${FAMILY.children}
        then ${id(`n - n % ${FAMILY.every}`)}
      when n between 2 and ${2 * LARGE_FAMILY} and n % 2 = 0 then ${id('0::int8')}
    end,
    t.status, t.last_sequence, t.error, t.error_class, t.error_node_id, t.cause_key, ${at('n')}, ${at('n')},
    case when t.completed_at is not null then ${at('n')} + interval '1 second' end
  from generate_series($1::int8, $2::int8) as n
  join template t on t.rank = case
    when ${part('n')} < 0.94 then 1
    when ${part('n')} < 0.97 then 2
    when ${part('n')} < 0.98 then 3
    when ${part('n')} < 0.99 then 4
    else 5
  end`;
}

type Numbering = ReturnType<typeof numbering>;

function insertEvents({ id }: Numbering): string {
  return `
  insert into events (execution_id, sequence, kind, node_id, payload, actor_id, created_at)
  select ${id('n')}, v.sequence, v.kind, v.node_id, v.payload, v.actor_id,
    x.created_at + v.sequence * interval '10 milliseconds'
  from generate_series($1::int8, $2::int8) as n
  join executions x on x.id = ${id('n')}
  join template t on t.status = x.status
  join events v on v.execution_id = t.id
  where n % $3::int8 = 0`;
}

/**
 * Every execution has a customer: few have many of them, and most have few. One in four has a region, and
 * few have an incident.
 */
function insertLabels({ at, id, part }: Numbering): string {
  return `
  insert into execution_labels (execution_id, name, value, tenant_id, created_at)
  select ${id('n')}, l.name, l.value, ${TENANT}, ${at('n')}
  from generate_series($1::int8, $2::int8) as n
  cross join lateral (
    values
      ('customer', 'customer-' || (${CUSTOMERS} * ${part('n * 17')} ^ 3)::int),
      ('region', case when n % 8 < 2 then 'region-' || n / 8 % 3 end),
      ('incident', case when n % ${INCIDENT_EVERY} = 0 then 'incident-1' end)
  ) l (name, value)
  where l.value is not null`;
}

const CUSTOMERS = 500;
const INCIDENT_EVERY = 100_000;

/** Every failed execution has a dead letter, for one of some causes. */
function insertDeadLetters({ at, id, part }: Numbering): string {
  const cause = `(${CAUSES.length - 1} * ${part('n * 7')})::int + 1`;
  const errors = CAUSES.map(({ error }) => `'${error}'`).join(', ');
  const keys = CAUSES.map(({ causeKey }) => causeKey).join(', ');
  return `
  insert into dead_letters (work_item_id, execution_id, tenant_id, node_id, queue, tool, attempt, error,
    error_class, cause_key, dead_lettered_at)
  select ${id('n')}, ${id('n')}, ${TENANT}, 'a', 'python_fn', 'bench.work', 3,
    (array[${errors}])[${cause}] || n, 'error', (array[${keys}]::int8[])[${cause}],
    ${at('n')} + interval '1 second'
  from generate_series($1::int8, $2::int8) as n
  join executions x on x.id = ${id('n')}
  where x.status = 'failed'`;
}

/** Messages that end with a number, and their keys as a commit keeps them. */
const CAUSES = Array.from('abcdefghijklmnopqrstu', (letter) => {
  const error = `cause ${letter} at `;
  return { error, ...causeOf(`${error}1`, 'error') };
});

/** Those of paused executions that have their events: a list of approvals shows what these ask. */
function insertApprovals({ id }: Numbering): string {
  return `
  insert into approvals (execution_id, sequence, tenant_id, node_id, visit, requested_at)
  select x.id, v.sequence, x.tenant_id, v.node_id, 0, x.created_at
  from generate_series($1::int8, $2::int8) as n
  join executions x on x.id = ${id('n')} and x.status = 'paused'
  join template t on t.status = x.status
  join events v on v.execution_id = t.id and v.kind = 'ApprovalRequested'
  where n % $3::int8 = 0`;
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
