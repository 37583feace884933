import { z } from 'zod';

import {
  type CountsShown,
  countExecutions as count,
  VALUES_MAX,
} from '../../../../shared/engine/executions/count-executions.ts';
import { findField } from '../../../../shared/domain/execution/query/fields.ts';
import type { GroupKey } from '../../../../shared/store/executions.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { optionalQuery, queryInteger } from '../../../schemas/query.ts';
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
  readsMayLag: true,
  summary: 'Counts executions by status and by the time of their start',
  note:
    'Takes the filters of `GET /executions`. The histogram covers the times that the filters name; ' +
    'otherwise, it begins at the oldest execution that fits, and ends now.',
  query: z.object({
    ...filterQuery,
    group_by: optionalQuery(
      z
        .string()
        .transform((name, context) => {
          const key = groupKeyOf(name);
          if (key !== null) return key;
          context.addIssue({
            code: 'custom',
            message: 'must be status, workflow, version, or a label such as labels.customer',
          });
          return z.NEVER;
        })
        .meta({
          type: 'string',
          description: '`status`, `workflow`, `version`, or a label such as `labels.customer`.',
        }),
    ),
    buckets: queryInteger({ min: 1, fallback: BUCKETS_DEFAULT, clampTo: BUCKETS_MAX }),
  }),
  replies: {
    200: z.object({
      total: z.int(),
      is_exact: z.boolean().meta({
        description:
          'False: only the newest executions were looked through: 100,000 without groups and with ' +
          'conditions on the status and the start alone, 5,000 if a label is looked up, and ' +
          '10,000 otherwise.',
      }),
      by_status: countsByStatus.meta({ description: 'Without the statuses of no execution.' }),
      histogram: z
        .array(z.object({ from: timestamp, before: timestamp, by_status: countsByStatus }))
        .meta({ description: 'In the order of time. Empty if no execution fits.' }),
      groups: z
        .array(z.object({ value: z.string().nullable(), count: z.int() }))
        .optional()
        .meta({
          description:
            `The largest ${VALUES_MAX} groups of \`group_by\`, largest first; absent without it. The ` +
            'value of the executions without the label is null.',
        }),
    }),
  },
  async handle({ query, caller }, { engine }) {
    const filter = readFilter(query);
    const { buckets, group_by: by } = query;
    const counted =
      filter === null ? NOTHING : await count(engine, caller, { filter, buckets, by });
    const { total, isExact, byStatus, values, histogram } = counted;
    return {
      status: 200,
      body: {
        total,
        is_exact: isExact,
        by_status: byStatus,
        histogram: histogram.map(({ counts, ...times }) => ({ ...times, by_status: counts })),
        ...(by !== null && { groups: [...values] }),
      },
    };
  },
});

function groupKeyOf(name: string): GroupKey | null {
  const found = findField(name);
  if (found === null) return null;
  const { field, label } = found;
  if (field === 'labels') return { field, label };
  return field === 'status' || field === 'workflow' || field === 'version' ? { field } : null;
}

const NOTHING: CountsShown = { total: 0, isExact: true, byStatus: {}, values: [], histogram: [] };
