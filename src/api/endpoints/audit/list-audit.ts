import { z } from 'zod';

import { listAudit as list } from '../../../shared/engine/audit/list-audit.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { anyObject } from '../../schemas/json-values.ts';
import { checkOffset, type OffsetPage } from '../../offset-max.ts';
import { auditCursor, cursorOfPlace } from '../../schemas/audit-cursor.ts';
import { nextCursor, optionalQuery, paging, queryInteger } from '../../schemas/query.ts';
import { executionId, instant, timestamp } from '../../schemas/text.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 200;

export const listAudit = defineEndpoint({
  name: 'list-audit',
  method: 'GET',
  path: '/audit',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists the audit log of the tenant, newest first',
  note:
    'Every event of an execution is an item, and so is every other request that changed ' +
    'something. Follow `next_cursor` for more: with `event_type` or `actor_id`, a page may hold fewer items than ' +
    '`limit`, or none, because a request looks at a bounded part of the log. Items never change; ' +
    '`svc audit verify` proves it.',
  query: z.object({
    execution_id: optionalQuery(z.string()),
    actor_id: optionalQuery(
      z.string().meta({
        description:
          '`token:<name>`, `worker:<id>`, `agent:<id>`, `system:scheduler`, or `system:cli`.',
      }),
    ),
    event_type: optionalQuery(
      z.string().meta({ description: 'snake_case, such as `node_completed`.' }),
    ),
    since: optionalQuery(instant.meta({ description: 'ISO 8601, inclusive.' })),
    until: optionalQuery(instant.meta({ description: 'ISO 8601, exclusive.' })),
    limit: queryInteger({ min: 1, fallback: LIMIT_DEFAULT, clampTo: LIMIT_MAX }),
    offset: paging.offset,
    cursor: optionalQuery(auditCursor),
  }),
  replies: {
    200: z.object({
      items: z.array(
        z.object({
          id: z.string(),
          execution_id: executionId.nullable(),
          event_type: z.string(),
          actor_id: z.string(),
          created_at: timestamp,
          node_id: z.string().nullable(),
          sequence: z.int().nullable().meta({
            description: 'Sequence of the event in its execution; null for other requests.',
          }),
          payload: anyObject.nullable().meta({
            description: 'Null for an event: `GET /executions/:id/events` has it.',
          }),
        }),
      ),
      total: z.int().meta({
        description: 'Matching items, regardless of `limit` and `offset`; see `total_is_exact`.',
      }),
      total_is_exact: z.boolean().meta({
        description: 'False: the tenant has so many items that `total` is only a lower bound.',
      }),
      limit: z.int(),
      offset: z.int(),
      next_cursor: nextCursor,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { limit, offset } = query;
    const read = (page: OffsetPage) =>
      list(engine, caller, {
        executionId: query.execution_id,
        actorId: query.actor_id,
        eventType: query.event_type,
        since: query.since,
        until: query.until,
        after: query.cursor,
        ...page,
      });
    await checkOffset(offset, async (page) => (await read(page)).items);
    const page = await read({ limit, offset });
    return {
      status: 200,
      body: {
        items: page.items.map((item) => ({
          id: item.id,
          execution_id: item.executionId,
          event_type: item.eventType,
          actor_id: item.actorId,
          created_at: item.createdAt,
          node_id: item.nodeId,
          sequence: item.sequence,
          payload: item.payload,
        })),
        total: page.total,
        total_is_exact: page.totalIsExact,
        limit,
        offset,
        next_cursor: page.next === null ? null : cursorOfPlace(page.next),
      },
    };
  },
});
