import { type DefinitionId, type ExecutionId, executionIdFromUuid } from '../../../domain/ids.ts';
import type { ExecutionRow, ExecutionStore, ListExecutions } from '../../executions.ts';
import type { ClaimWatermarks } from '../work/claim-watermarks.ts';
import { commitPlans } from '../commit/commit.ts';
import { readDocumentHead, readExecutionDocument } from './execution-document.ts';
import { gatherReads } from '../connection/gather-reads.ts';
import { listUpdated } from './list-updated.ts';
import { loadExecution, loadExecutions } from './load-executions.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import {
  decodeEvent,
  decodeExecution,
  decodeListed,
  EXECUTION_COLUMNS,
  FOUND_COLUMNS,
  LISTED_COLUMNS,
  type ListedRecord,
  toUuid,
  type EventRecord,
  type ExecutionRecord,
} from '../rows.ts';

/** `readers` is for what one tenant asks, under row-level security. */
export function createExecutionStore(
  pool: PostgresPool,
  readers: PostgresPool,
  watermarks: ClaimWatermarks,
): ExecutionStore {
  const askEnded = gatherReads((ids: readonly ExecutionId[]) => haveEnded(pool, ids));
  const findOne = gatherReads((ids: readonly ExecutionId[]) => findExecutions(pool, ids));
  const loadOne = gatherReads((ids: readonly ExecutionId[]) => loadExecutions(pool, ids));
  return {
    async commit(plans) {
      const verdicts = await commitPlans(pool, plans);
      for (const plan of plans) {
        for (const { ticket } of plan.newItems) watermarks.noteEnqueued(ticket);
        for (const { ticket, delayMs } of plan.retries) {
          if (delayMs <= 0) watermarks.noteEnqueued(ticket);
        }
      }
      return verdicts;
    },

    async find(id, tenantId) {
      if (tenantId === null) return findOne(id);
      const rows = await readers.run<ExecutionRecord>(FIND, [toUuid(id), tenantId], tenantId);
      return rows[0] === undefined ? null : decodeExecution(rows[0]);
    },

    hasEnded: askEnded,

    load: (id, tenantId) =>
      tenantId === null ? loadOne(id) : loadExecution(readers, id, tenantId),

    document: (id, tenantId) => readExecutionDocument(readers, id, tenantId),
    documentHead: (id, tenantId) => readDocumentHead(readers, id, tenantId),

    async events({ executionId, after, limit }) {
      const rows = await pool.run<EventRecord>(EVENTS, [toUuid(executionId), after, limit]);
      return rows.map(decodeEvent);
    },

    async eventsBetween({ executionId, after, before, kinds, order, limit }) {
      const statement = order === 'asc' ? EVENTS_FORWARDS : EVENTS_BACKWARDS;
      const values = [toUuid(executionId), after, before ?? Number.MAX_SAFE_INTEGER, kinds, limit];
      const rows = await pool.run<EventRecord>(statement, values);
      return rows.map(decodeEvent);
    },

    async usage(id) {
      const rows = await pool.run<UsageRecord>(USAGE, [toUuid(id)]);
      return rows.map((row) => ({
        executionId: executionIdFromUuid(row.id),
        definitionId: row.definition_id as DefinitionId,
        inputTokens: Number(row.input_tokens),
        outputTokens: Number(row.output_tokens),
        costUsd: Number(row.cost_usd),
      }));
    },

    async list(params) {
      const { statement, values } = listStatement(params);
      const rows = await readers.run<ListedRecord>(statement, values, params.tenantId);
      return rows.map(decodeListed);
    },

    async findLiveChild({ tenantId, parents }) {
      const values = [parents.map(toUuid), tenantId];
      const [child] = await readers.run<{ readonly id: string }>(LIVE_CHILD, values, tenantId);
      return child === undefined ? null : executionIdFromUuid(child.id);
    },

    listUpdated: (params) => listUpdated(readers, params),
  };
}

/** One answer for each id, in their order. */
async function findExecutions(
  pool: PostgresPool,
  ids: readonly ExecutionId[],
): Promise<readonly (ExecutionRow | null)[]> {
  const rows = await pool.run<ExecutionRecord>(FIND_MANY, [[...new Set(ids.map(toUuid))]]);
  const found = new Map(rows.map(decodeExecution).map((row) => [row.executionId, row]));
  return ids.map((id) => found.get(id) ?? null);
}

/** One answer for each id, in their order. */
async function haveEnded(
  pool: PostgresPool,
  ids: readonly ExecutionId[],
): Promise<readonly boolean[]> {
  const rows = await pool.run<{ readonly id: string }>(ENDED, [ids.map(toUuid)]);
  const ended = new Set(rows.map(({ id }) => executionIdFromUuid(id)));
  return ids.map((id) => ended.has(id));
}

const ENDED: Statement = {
  name: 'find-ended-executions',
  writes: false,
  text: `
    select e.id
    from executions e
    where e.id = any($1::uuid[])
      and e.status in ('completed', 'failed', 'cancelled')`,
};

const FIND: Statement = {
  name: 'find-execution',
  writes: false,
  text: `
    select ${EXECUTION_COLUMNS}
    from executions e
    where e.id = $1
      and e.tenant_id = $2`,
};

const FIND_MANY: Statement = {
  name: 'find-executions',
  writes: false,
  text: `
    select ${EXECUTION_COLUMNS}
    from executions e
    where e.id = any($1::uuid[])`,
};

/** The order makes the server look up the children of each by their index, also without statistics. */
const LIVE_CHILD: Statement = {
  name: 'find-live-child',
  writes: false,
  text: `
    select c.id
    from unnest($1::uuid[]) as p (id)
    cross join lateral (
      select e.id
      from executions e
      where e.parent_execution_id = p.id
        and e.tenant_id = $2
        and e.status in ('running', 'paused')
      order by e.parent_execution_id, e.id
      limit 1
    ) c
    limit 1`,
};

const USAGE: Statement = {
  name: 'execution-usage',
  writes: false,
  text: `
    select c.id, c.definition_id, coalesce(u.input_tokens, 0) as input_tokens,
      coalesce(u.output_tokens, 0) as output_tokens, coalesce(u.cost_usd, 0) as cost_usd
    from execution_chain($1) with ordinality as c (id, parent_id, definition_id, place)
    left join lateral (
      select n.input_tokens, n.output_tokens, n.cost_usd
      from execution_usage n
      where n.execution_id = c.id
      limit 1
    ) u on true
    order by c.place`,
};

interface UsageRecord {
  readonly id: string;
  readonly definition_id: string;
  readonly input_tokens: string;
  readonly output_tokens: string;
  readonly cost_usd: string;
}

const EVENTS: Statement = {
  name: 'list-events',
  writes: false,
  text: `
    select v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
    from events v
    where v.execution_id = $1
      and v.sequence > $2
    order by v.sequence
    limit $3`,
};

const EVENTS_FORWARDS = eventsBetween('asc');
const EVENTS_BACKWARDS = eventsBetween('desc');

function eventsBetween(order: 'asc' | 'desc'): Statement {
  return {
    name: `list-events-${order}`,
    writes: false,
    text: `
      select v.sequence, v.kind, v.node_id, v.payload, v.actor_id, v.created_at
      from events v
      where v.execution_id = $1
        and v.sequence > $2::bigint
        and v.sequence < $3::bigint
        and ($4::text[] is null or v.kind = any($4))
      order by v.sequence ${order}
      limit $5`,
  };
}

/** Each combination of filters is a statement of its own, so that each finds its index. */
function listStatement(params: ListExecutions): {
  readonly statement: Statement;
  readonly values: readonly unknown[];
} {
  const parentId = params.parentExecutionId ?? null;
  const filters: readonly (readonly [string, string, readonly unknown[] | null])[] = [
    ['status', 'e.status = ?', optional(params.status)],
    ['workflow', 'e.workflow_id = ?', optional(params.workflowId)],
    ['parent', 'e.parent_execution_id = ?::uuid', parentId === null ? null : [toUuid(parentId)]],
    ['after', 'e.created_at >= ?::timestamptz', optional(params.createdAfter)],
    ['before', 'e.created_at < ?::timestamptz', optional(params.createdBefore)],
    [
      'cursor',
      '(e.created_at, e.id) < (?::timestamptz, ?::uuid)',
      params.cursor === null ? null : [params.cursor.createdAt, toUuid(params.cursor.executionId)],
    ],
  ];
  const names = ['list-executions'];
  const values: unknown[] = [params.tenantId, params.limit, params.offset];
  let where = 'e.tenant_id = $1';
  for (const [name, condition, given] of filters) {
    if (given === null) continue;
    names.push(name);
    const first = values.length + 1;
    values.push(...given);
    let index = first;
    where += `\n      and ${condition.replaceAll('?', () => `$${index++}`)}`;
  }
  const text = `
    select ${LISTED_COLUMNS}
    from (
      select ${FOUND_COLUMNS}
      from executions e
      where ${where}
      order by e.created_at desc, e.id desc
      limit $2
      offset $3
    ) e
    order by e.created_at desc, e.id desc`;
  return { statement: { name: names.join('-'), text, writes: false }, values };
}

function optional(value: unknown): readonly unknown[] | null {
  return value === null ? null : [value];
}
