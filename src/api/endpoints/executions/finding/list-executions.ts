import { z } from 'zod';

import { badRequest } from '../../../../shared/domain/errors.ts';
import {
  type ShownInList,
  listExecutions as list,
} from '../../../../shared/engine/executions/list-shown.ts';
import { searchExecutions } from '../../../../shared/engine/executions/search-executions.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { type OffsetPage, readPage } from '../../../offset-max.ts';
import { nextCursor, optionalQuery, paging } from '../../../schemas/query.ts';
import { cursorOf, cursorText } from '../cursor.ts';
import { listedExecution, shapeListed } from '../execution-shape.ts';
import { filterQuery, readFilter } from './filter-query.ts';

export const listExecutions = defineEndpoint({
  name: 'list-executions',
  method: 'GET',
  path: '/executions',
  access: 'read',
  readsMayLag: true,
  summary: 'Lists executions, newest first',
  note:
    'Follow `next_cursor` for more: unlike `offset` it stays exact while executions start. With a ' +
    '`q`, a page looks through a bounded part of the list, so that it may have fewer executions ' +
    'than `limit`, or none, before the last page. There is no `offset` then.',
  query: z.object({ ...filterQuery, cursor: optionalQuery(cursorText), ...paging }),
  replies: {
    200: z.object({
      executions: z.array(listedExecution),
      next_cursor: nextCursor,
    }),
  },
  async handle({ query, caller }, { engine }) {
    const { cursor, limit, offset } = query;
    const filter = readFilter(query);
    if (query.q !== null && offset > 0) {
      throw badRequest('offset is not for lists with q; continue with cursor');
    }
    if (filter === null) return answer([], null);
    if (filter.conditions.length > 0) {
      const { rows, next } = await searchExecutions(engine, caller, { filter, cursor, limit });
      return answer(rows, next);
    }
    const { conditions: _, ...own } = filter;
    const read = async (page: OffsetPage) => list(engine, caller, { ...own, cursor, ...page });
    const { rows, last } = await readPage(query, read);
    return answer(rows, last ?? null);
  },
});

function answer(rows: readonly ShownInList[], last: Parameters<typeof cursorOf>[0] | null) {
  const executions = rows.map(shapeListed);
  const next_cursor = last === null ? null : cursorOf(last);
  return { status: 200 as const, body: { executions, next_cursor } };
}
