import { z } from 'zod';

import {
  type GroupPlace,
  listFailures as list,
} from '../../../shared/engine/overview/list-failures.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { columnsText, encodePosition, isTimestamp } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, queryInteger } from '../../schemas/query.ts';
import { timestamp } from '../../schemas/text.ts';
import { failureShape, isExact, shapeFailure } from './failure-shape.ts';
import { failuresFilter, readFilter } from './failures-filter.ts';

const GROUPS_MAX = 100;
const MEMBERS_DEFAULT = 5;
const MEMBERS_MAX = 50;

const cursorColumns = z.tuple([z.string().refine(isTimestamp), z.int().positive(), z.string()]);

const cursorText = columnsText((columns): GroupPlace | null => {
  const parsed = cursorColumns.safeParse(columns);
  if (!parsed.success) return null;
  const [at, count, id] = parsed.data;
  return { at, count, id };
});

export const listFailures = defineEndpoint({
  name: 'list-failures',
  method: 'GET',
  path: '/failures',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists dead letters and failed executions by cause',
  note:
    'The cause is the message without numbers, ids, paths and quoted values. Failed executions count ' +
    'by the time when they began. The latest 1000 of each kind are read, from at least the latest 3000 ' +
    'of each. Follow `next_cursor` for more groups, with the same other parameters: failures after the ' +
    'first page count on no page. `GET /failures/{id}` lists all failures of a group.',
  query: z.object({
    ...failuresFilter,
    limit: queryInteger({ min: 1, fallback: GROUPS_MAX, clampTo: GROUPS_MAX }),
    members: queryInteger({
      min: 1,
      fallback: MEMBERS_DEFAULT,
      clampTo: MEMBERS_MAX,
      description:
        'How many failures of each group are listed: the latest. A page ends before its groups list more ' +
        'than 500 together.',
    }),
    cursor: optionalQuery(cursorText),
  }),
  replies: {
    200: z.object({
      since: timestamp,
      groups: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['work_item', 'execution']),
          cause: z.string(),
          workflow_id: z.string(),
          node_id: z.string().nullable().meta({
            description: 'Null: no node failed the executions, or it is not known which.',
          }),
          tool: z.string().nullable(),
          queue_type: z.string().nullable(),
          count: z.int(),
          live: z.int().meta({ description: 'How many belong to executions that have not ended.' }),
          first_at: timestamp,
          last_at: timestamp,
          members: z.array(failureShape).meta({ description: 'The latest: at most `members`.' }),
        }),
      ),
      next_cursor: nextCursor,
      is_exact: isExact,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { since, groups, next, ...read } = await list(engine, caller, {
      ...readFilter(query),
      cursor: query.cursor,
      limit: query.limit,
      members: query.members,
    });
    return {
      status: 200,
      body: {
        since,
        groups: groups.map((group) => ({
          id: group.id,
          kind: group.kind,
          cause: group.cause,
          workflow_id: group.workflowId,
          node_id: group.nodeId,
          tool: group.tool,
          queue_type: group.queue,
          count: group.count,
          live: group.live,
          first_at: group.firstAt,
          last_at: group.lastAt,
          members: group.members().map(shapeFailure),
        })),
        next_cursor: next && encodePosition([next.at, next.count, next.id]),
        is_exact: read.isExact,
      },
    };
  },
});
