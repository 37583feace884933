import { z } from 'zod';

import { readQuery } from '../../../shared/engine/executions/search-executions.ts';
import type { FailuresFilter } from '../../../shared/engine/overview/read-failures.ts';
import { optionalQuery, queryInteger } from '../../schemas/query.ts';
import { queryText } from '../executions/finding/filter-query.ts';

const HOURS_DEFAULT = 24;
const HOURS_MAX = 30 * 24;
const HOUR_MS = 60 * 60 * 1_000;

/** The parameters that say which failures are grouped. */
export const failuresFilter = {
  within_hours: queryInteger({
    min: 1,
    fallback: HOURS_DEFAULT,
    max: HOURS_MAX,
    description: `How far back the list looks, at most ${HOURS_MAX}.`,
  }),
  workflow_id: optionalQuery(z.string()),
  q: optionalQuery(
    queryText.meta({
      description:
        'Conditions on the executions, as for `GET /executions`. Those on `error` and `error_class` are about ' +
        'the failure itself.',
    }),
  ),
};

export function readFilter(query: {
  readonly within_hours: number;
  readonly workflow_id: string | null;
  readonly q: string | null;
}): FailuresFilter {
  return {
    withinMs: query.within_hours * HOUR_MS,
    workflowId: query.workflow_id,
    conditions: query.q === null ? [] : readQuery('q', query.q),
  };
}
