import { z } from 'zod';

import {
  type CountsShown,
  countExecutions as count,
} from '../../../../shared/engine/executions/count-executions.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { queryInteger } from '../../../schemas/query.ts';
import { timestamp } from '../../../schemas/text.ts';
import { executionStatus } from '../execution-shape.ts';
import { filterQuery, readFilter } from './filter-query.ts';

const BUCKETS_DEFAULT = 48;
const BUCKETS_MAX = 200;

const countsByStatus = z.partialRecord(executionStatus, z.int());

export const countExecutions = defineEndpoint({
  name: 'count-executions',
  method: 'GET',
  path: '/executions/counts',
  access: 'read',
  summary: 'Counts executions by status and by the time of their start',
  note:
    'Takes the filters of `GET /executions`. The histogram covers the times that the filters name; ' +
    'otherwise, it begins at the oldest execution that fits, and ends now.',
  query: z.object({
    ...filterQuery,
    buckets: queryInteger({ min: 1, fallback: BUCKETS_DEFAULT, clampTo: BUCKETS_MAX }),
  }),
  replies: {
    200: z.object({
      total: z.int(),
      is_exact: z.boolean().meta({
        description: 'False: only the newest 100,000 executions were looked through.',
      }),
      by_status: countsByStatus.meta({ description: 'Without the statuses of no execution.' }),
      histogram: z
        .array(z.object({ from: timestamp, before: timestamp, by_status: countsByStatus }))
        .meta({ description: 'In the order of time. Empty if no execution fits.' }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const filter = readFilter(query);
    const { buckets } = query;
    const counted = filter === null ? NOTHING : await count(engine, caller, { filter, buckets });
    const { total, isExact, byStatus, histogram } = counted;
    return {
      status: 200,
      body: {
        total,
        is_exact: isExact,
        by_status: byStatus,
        histogram: histogram.map(({ counts, ...times }) => ({ ...times, by_status: counts })),
      },
    };
  },
});

const NOTHING: CountsShown = { total: 0, isExact: true, byStatus: {}, histogram: [] };
