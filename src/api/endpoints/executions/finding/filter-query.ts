import { z } from 'zod';

import { parseExecutionId } from '../../../../shared/domain/ids.ts';
import type { ExecutionStatus } from '../../../../shared/domain/execution/status.ts';
import { QUERY_LENGTH_MAX } from '../../../../shared/domain/execution/query/parse-query.ts';
import {
  type ExecutionFilter,
  readQuery,
} from '../../../../shared/engine/executions/search-executions.ts';
import { optionalQuery } from '../../../schemas/query.ts';
import { instant } from '../../../schemas/text.ts';
import { executionStatus } from '../execution-shape.ts';

export const queryText = z
  .string()
  .max(QUERY_LENGTH_MAX)
  .meta({
    description:
      'Conditions joined by `and`, such as `status = failed and workflow = "orders" and error ~ ' +
      '"timeout" and started > -2h`. See the guide on finding executions.',
  });

/** The parameters that narrow a list of executions. */
export const filterQuery = {
  status: optionalQuery(executionStatus),
  workflow_id: optionalQuery(z.string()),
  parent_execution_id: optionalQuery(
    z.string().meta({ description: 'Only the children of this execution.' }),
  ),
  created_after: optionalQuery(instant.meta({ description: 'ISO 8601, inclusive.' })),
  created_before: optionalQuery(instant.meta({ description: 'ISO 8601, exclusive.' })),
  q: optionalQuery(queryText),
};

/** Null: no execution can fit, because an id of another shape is the id of no parent. */
export function readFilter(query: {
  readonly status: ExecutionStatus | null;
  readonly workflow_id: string | null;
  readonly parent_execution_id: string | null;
  readonly created_after: string | null;
  readonly created_before: string | null;
  readonly q: string | null;
}): ExecutionFilter | null {
  const conditions = query.q === null ? [] : readQuery('q', query.q);
  const { parent_execution_id: parent } = query;
  const parentExecutionId = parent === null ? null : parseExecutionId(parent);
  if (parent !== null && parentExecutionId === null) return null;
  return {
    status: query.status,
    workflowId: query.workflow_id,
    parentExecutionId,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    conditions,
  };
}
