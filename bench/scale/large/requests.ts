import type pg from 'pg';

import type { Asked } from './measure-requests.ts';
import { type Call, expectOk } from './templates.ts';

/** Some executions of the tenant that is asked for, by their place: from the newest to the oldest. */
export interface Cast {
  readonly cursors: readonly string[];
  readonly ids: readonly string[];
  /** An execution with many children. */
  readonly parentId: string;
  /** An instant in the middle of the history. */
  readonly middle: string;
  /** The group with the most failures. */
  readonly groupId: string;
}

/** A workflow of which there are few executions, and those scattered over all of the time. */
const RARE = 'workflow-40';
const OFTEN = 'workflow-0';
/** The one with the most executions. */
const LARGE_CUSTOMER = 'customer-0';
/** As far back as a request may look, so that more failures than one reads are within. */
const FAILURES_MAX = 'within_hours=720';

/**
 * Nine executions with events, evenly over the time that is covered, the parent of the most, and the largest
 * group of failures.
 */
export async function readCast(client: pg.Client, call: Call): Promise<Cast> {
  const { rows } = await client.query<{ readonly id: string; readonly at: Date }>(SPREAD);
  const { rows: parents } = await client.query<{ readonly id: string }>(PARENT);
  const { body } = expectOk(await call('GET', `/failures?${FAILURES_MAX}`));
  const [group] = body['groups'] as readonly { readonly id: string }[];
  return {
    ids: rows.map(({ id }) => `exec_${id}`),
    cursors: rows.map(({ id, at }) =>
      Buffer.from(`${at.toISOString()} exec_${id}`).toString('base64url'),
    ),
    parentId: `exec_${parents[0]?.id}`,
    middle: rows[4]?.at.toISOString() ?? '',
    groupId: group?.id ?? '',
  };
}

const SPREAD = `
  select e.id, e.created_at as at
  from (
    select min(x.created_at) as first, max(x.created_at) - min(x.created_at) as length
    from executions x
    where x.tenant_id = 'default'
  ) t
  cross join generate_series(1, 9) as n
  cross join lateral (
    select x.id, x.created_at
    from executions x
    where x.tenant_id = 'default'
      and x.created_at >= t.first + n * t.length / 10
      and exists (select from events v where v.execution_id = x.id)
    order by x.created_at
    limit 1
  ) e`;

/** The large family is the oldest. */
const PARENT = `
  select x.parent_execution_id as id
  from executions x
  where x.tenant_id = 'default'
    and x.parent_execution_id is not null
  order by x.created_at
  limit 1`;

export function requestsOf({ cursors, ids, parentId, middle, groupId }: Cast): readonly Asked[] {
  const list = (query: string) => () => `/executions?limit=50${query}`;
  const failures = (query: string) => () => `/failures?${FAILURES_MAX}${query}`;
  const q = encodeURIComponent;
  const each = (values: readonly string[], path: (value: string) => string) => (index: number) =>
    path(values[index % values.length] ?? '');
  return [
    { what: 'list: first page', path: list('') },
    { what: 'list: deep page by cursor', path: each(cursors, (at) => list(`&cursor=${at}`)()) },
    { what: 'list: deepest offset', path: list('&offset=10000') },
    { what: 'list: running', path: list('&status=running') },
    { what: 'list: failed of a workflow', path: list(`&status=failed&workflow_id=${OFTEN}`) },
    { what: 'list: paused of a rare workflow', path: list(`&status=paused&workflow_id=${RARE}`) },
    { what: 'list: rare workflow', path: list(`&workflow_id=${RARE}`) },
    { what: 'list: unknown workflow', path: list('&workflow_id=none') },
    {
      what: 'list: none of a status and a workflow',
      path: list('&status=running&workflow_id=none'),
    },
    { what: 'list: children of one of many', path: list(`&parent_execution_id=${parentId}`) },
    {
      what: 'list: failed children of one of many',
      path: list(`&parent_execution_id=${parentId}&status=failed`),
    },
    { what: 'list: before an instant', path: list(`&created_before=${middle}`) },
    {
      what: 'list: failed before an instant',
      path: list(`&created_before=${middle}&status=failed`),
    },
    {
      what: 'list: since an instant, rare workflow',
      path: list(`&created_after=${middle}&workflow_id=${RARE}`),
    },
    { what: 'search: error', path: list(`&q=${q('error ~ "cause c"')}`) },
    { what: 'search: error that nobody has', path: list(`&q=${q('error ~ "nobody"')}`) },
    { what: 'search: part of a workflow', path: list(`&q=${q('workflow ~ "flow-4"')}`) },
    { what: 'search: ended lately', path: list(`&q=${q('ended > -2d and status != completed')}`) },
    { what: 'search: label', path: list(`&q=${q(`labels.customer = "${LARGE_CUSTOMER}"`)}`) },
    { what: 'search: rare label', path: list(`&q=${q('labels.incident = "incident-1"')}`) },
    { what: 'search: label that nobody has', path: list(`&q=${q('labels.customer = "nobody"')}`) },
    {
      what: 'search: failed of a customer, by error, lately',
      path: list(
        `&q=${q(`status = failed and labels.customer = "${LARGE_CUSTOMER}" and error ~ "cause c" and started > -2d`)}`,
      ),
    },
    {
      what: 'search: two labels',
      path: list(`&q=${q('labels.customer = "customer-1" and labels.region = "region-1"')}`),
    },
    {
      what: 'search: two labels that nobody has together',
      path: list(`&q=${q(`labels.customer = "${LARGE_CUSTOMER}" and labels.region = "none"`)}`),
    },
    {
      what: 'search: one of two customers, not completed',
      path: list(
        `&q=${q(`labels.customer in ("customer-3", "customer-4") and status != completed`)}`,
      ),
    },
    { what: 'counts', path: () => '/executions/counts' },
    {
      what: 'counts: of a customer',
      path: () => `/executions/counts?q=${q(`labels.customer = "${LARGE_CUSTOMER}"`)}`,
    },
    { what: 'counts by workflow', path: () => '/executions/counts?group_by=workflow' },
    { what: 'counts by label', path: () => '/executions/counts?group_by=labels.customer' },
    {
      what: 'counts: failed of a workflow',
      path: () => `/executions/counts?status=failed&workflow_id=${OFTEN}`,
    },
    { what: 'failures of a day by cause', path: () => '/failures' },
    { what: 'failures by cause', path: failures('') },
    // As the console asks.
    { what: 'failures by cause, 20 with 50 of each', path: failures('&limit=20&members=50') },
    { what: 'failures by cause, 100 with 50 of each', path: failures('&members=50') },
    { what: 'failures of a workflow', path: failures(`&workflow_id=${OFTEN}`) },
    { what: 'failures of a rare workflow', path: failures(`&workflow_id=${RARE}`) },
    {
      what: 'failures of a customer',
      path: failures(`&q=${q(`labels.customer = "${LARGE_CUSTOMER}"`)}`),
    },
    { what: 'failures with an error', path: failures(`&q=${q('error ~ "cause c"')}`) },
    {
      what: 'failures with an error that nobody has',
      path: failures(`&q=${q('error ~ "nobody"')}`),
    },
    {
      what: 'failures of a group',
      path: () => `/failures/${groupId}?${FAILURES_MAX}&limit=50`,
    },
    { what: 'dead letters', path: () => '/work-items?status=dead_lettered&limit=50' },
    { what: 'approvals', path: () => '/approvals?status=pending&limit=50' },
    { what: 'retention preview', path: () => '/retention/preview?older_than_days=30' },
    {
      what: 'retention preview: nothing due',
      path: () => '/retention/preview?older_than_days=3650',
    },
    {
      what: 'retention preview: rare workflow',
      path: () => `/retention/preview?older_than_days=30&workflow_id=${RARE}&status=failed`,
    },
    { what: 'show', path: each(ids, (id) => `/executions/${id}`) },
    { what: 'explain', path: each(ids, (id) => `/executions/${id}/explain`) },
    { what: 'events', path: each(ids, (id) => `/executions/${id}/events`) },
    { what: 'audit: first page', path: () => '/audit?limit=50' },
    { what: 'audit: in the middle', path: () => `/audit?limit=50&until=${middle}` },
    { what: 'audit: of an execution', path: each(ids, (id) => `/audit?execution_id=${id}`) },
    { what: 'audit: of a type', path: () => '/audit?event_type=workflow_failed' },
    { what: 'audit: of a type that nothing has', path: () => '/audit?event_type=token_rotated' },
    {
      what: 'audit: of an event that nothing has',
      path: () => '/audit?event_type=budget_exceeded',
    },
  ];
}
