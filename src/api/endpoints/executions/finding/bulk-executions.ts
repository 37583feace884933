import { z } from 'zod';

import { parseExecutionId } from '../../../../shared/domain/ids.ts';
import { EXECUTION_STATUSES } from '../../../../shared/domain/execution/status.ts';
import {
  BULK_ACTIONS,
  type BulkCursor,
  type BulkOutcome,
  bulkExecutions as actOnAll,
  previewBulk,
} from '../../../../shared/engine/executions/bulk-executions.ts';
import { readQuery } from '../../../../shared/engine/executions/search-executions.ts';
import type { ExecutionRow } from '../../../../shared/store/store.ts';
import { badRequest } from '../../../../shared/domain/errors.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { executionId, idText, instant, omittable, timestamp } from '../../../schemas/text.ts';
import { CURSOR_FORM } from '../../../schemas/position.ts';
import { cursorOf, cursorText } from '../cursor.ts';
import { endingShape } from '../execution-shape.ts';
import { queryText } from './filter-query.ts';

const MAX_DEFAULT = 100;
const MAX_MAX = 500;
const status = z.enum(EXECUTION_STATUSES);

const outcomeShape = z.object({
  execution_id: executionId,
  workflow_id: z.string(),
  status: status.meta({ description: 'As it was before.' }),
  created_at: timestamp,
  outcome: z.enum(['done', 'refused', 'previewed']),
  error: z.string().nullable().meta({ description: 'Why it was refused.' }),
  retried_as: executionId.nullable(),
  ending: endingShape.optional(),
});

export const bulkExecutions = defineEndpoint({
  name: 'bulk-executions',
  method: 'POST',
  path: '/executions/bulk',
  access: 'write',
  summary: 'Cancels, pauses, resumes or retries many executions',
  note:
    'Acts on up to `max` executions, newest first, each like a separate request. Continue ' +
    'with `next_cursor` until it is null. You can repeat an interrupted bulk: no action ' +
    'happens twice. With `dry_run` nothing changes: `total` counts the matching executions, ' +
    'and `results` shows the first of them. Without a `status`, `cancel` and `pause` act on ' +
    'live executions, `resume` on paused ones, and `retry` on failed ones. With a `q`, a page ' +
    'that looked through many executions may have few results, or none.',
  body: z.strictObject({
    action: z.enum(BULK_ACTIONS),
    filter: z
      .strictObject({
        workflow_id: omittable(idText),
        status: omittable(status),
        parent_execution_id: omittable(idText).meta({ description: 'Only its children.' }),
        created_after: omittable(instant).meta({ description: 'ISO 8601, inclusive.' }),
        created_before: omittable(instant).meta({ description: 'ISO 8601, exclusive.' }),
        q: omittable(queryText),
      })
      // A filter that was forgotten is not everything.
      .refine((filter) => Object.values(filter).some((value) => value !== null), {
        message: 'must name at least one of its members; a status, if all are meant',
      }),
    reason: omittable(z.string().min(1).max(1_000)).meta({ description: 'Reason for the pause.' }),
    dry_run: omittable(z.boolean()),
    max: omittable(z.int().min(1).max(MAX_MAX)).meta({
      description: `At most so many in one request; ${MAX_DEFAULT} by default.`,
    }),
    cursor: omittable(z.string().meta(CURSOR_FORM)),
  }),
  replies: {
    200: z.object({
      results: z.array(outcomeShape),
      next_cursor: z.string().nullable().meta({ description: 'Null: there are no more.' }),
      total: z.int().nullable().meta({ description: 'For a `dry_run`: the number of matches.' }),
      total_is_exact: z.boolean().meta({ description: 'False: there are more than `total`.' }),
    }),
  },
  async handle({ body, caller }, { engine }) {
    const { filter } = body;
    const parent = filter.parent_execution_id;
    const parentExecutionId = parent === null ? null : parseExecutionId(parent);
    if (parent !== null && parentExecutionId === null) {
      throw badRequest('filter.parent_execution_id is no execution id');
    }
    const conditions = filter.q === null ? [] : readQuery('filter.q', filter.q);
    if (conditions.length === 0 && isQueryAlone(filter)) {
      throw badRequest(
        'filter.q has no condition, and would select all executions: add one, such as status = failed',
      );
    }
    const request = {
      action: body.action,
      reason: body.reason,
      max: body.max ?? MAX_DEFAULT,
      cursor: body.cursor === null ? null : readCursor(body.cursor),
      filter: {
        workflowId: filter.workflow_id,
        status: filter.status,
        parentExecutionId,
        createdAfter: filter.created_after,
        createdBefore: filter.created_before,
        conditions,
      },
    };
    if (body.dry_run === true) {
      const { rows, total, isExact } = await previewBulk(engine, caller, request);
      const results = rows.map((row) => ({
        ...shapeRow(row),
        outcome: 'previewed' as const,
        error: null,
        retried_as: null,
      }));
      return {
        status: 200,
        body: { results, next_cursor: null, total, total_is_exact: isExact },
      };
    }
    const { outcomes, next } = await actOnAll(engine, caller, request);
    return {
      status: 200,
      body: {
        results: outcomes.map(shapeOutcome),
        next_cursor: next && writeCursor(next),
        total: null,
        total_is_exact: true,
      },
    };
  },
});

/** As from a script whose variable is empty. */
function isQueryAlone({ q: _, ...others }: Readonly<Record<string, string | null>>): boolean {
  return Object.values(others).every((value) => value === null);
}

function shapeRow(row: ExecutionRow) {
  return {
    execution_id: row.executionId,
    workflow_id: row.workflowId,
    status: row.status,
    created_at: row.createdAt,
  };
}

function shapeOutcome({ row, outcome, error, retriedAs, ending }: BulkOutcome) {
  return {
    ...shapeRow(row),
    outcome,
    error,
    retried_as: retriedAs,
    ...(ending !== null && { ending: { outcome: ending } }),
  };
}

function writeCursor({ status: of, after }: BulkCursor): string {
  return `${of}.${after === null ? '' : cursorOf(after)}`;
}

function readCursor(text: string): BulkCursor {
  const [of, after = ''] = text.split('.');
  const known = status.safeParse(of);
  const place = cursorText.safeParse(after);
  if (known.success && place.success) return { status: known.data, after: place.data };
  throw badRequest('cursor must be the next_cursor of an earlier answer');
}
