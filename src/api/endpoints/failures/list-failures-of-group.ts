import { z } from 'zod';

import {
  listFailuresOfGroup as list,
  type MemberCursor,
} from '../../../shared/engine/overview/list-failures-of-group.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { columnsText, encodePosition, isTimestamp } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { failureShape, isExact, shapeFailure } from './failure-shape.ts';
import { failuresFilter, readFilter } from './failures-filter.ts';

const time = z.string().refine(isTimestamp);
const cursorColumns = z.tuple([time, time, z.string()]);

const cursorText = columnsText((columns): MemberCursor | null => {
  const parsed = cursorColumns.safeParse(columns);
  if (!parsed.success) return null;
  const [at, failedAt, id] = parsed.data;
  return { at, failedAt, id };
});

export const listFailuresOfGroup = defineEndpoint({
  name: 'list-failures-of-group',
  method: 'GET',
  path: '/failures/:id',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists all failures of a group, the latest first',
  note:
    'The id is that of a group of `GET /failures`, and the other parameters are those of that request. ' +
    'The list is empty if no failure that they find belongs to the group.',
  params: z.object({ id: z.string() }),
  query: z.object({
    ...failuresFilter,
    limit: paging.limit,
    cursor: optionalQuery(cursorText),
  }),
  replies: {
    200: z.object({
      failures: z.array(failureShape),
      next_cursor: nextCursor,
      is_exact: isExact,
    }),
  },
  async handle({ params, query, caller }, { engine }) {
    const { failures, next, ...read } = await list(engine, caller, {
      ...readFilter(query),
      groupId: params.id,
      limit: query.limit,
      cursor: query.cursor,
    });
    return {
      status: 200,
      body: {
        failures: failures.map(shapeFailure),
        next_cursor: next && encodePosition([next.at, next.failedAt, next.id]),
        is_exact: read.isExact,
      },
    };
  },
});
