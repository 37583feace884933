import { z } from 'zod';

import { compareState as compare } from '../../../../shared/engine/executions/history/compare-state.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { anyValue } from '../../../schemas/json-values.ts';
import { executionParam } from '../../../schemas/params.ts';
import { executionId } from '../../../schemas/text.ts';
import { FOLD_BOUNDS, momentQuery } from './state-query.ts';

export const compareState = defineEndpoint({
  name: 'compare-state',
  method: 'GET',
  path: '/executions/:id/state/diff',
  access: 'read',
  summary: 'Compares the states of an execution after two of its events',
  note:
    `${FOLD_BOUNDS}Objects are compared member by member, all else as a whole. The answer has at most 500 ` +
    'changes and half a megabyte of values; past that, `omitted` or `truncated` is true.',
  params: executionParam,
  query: z.object({
    from: momentQuery('The state after this event, or as of this time. Default: 0.'),
    to: momentQuery('The other state. Default: the last.'),
  }),
  replies: {
    200: z.object({
      execution_id: executionId,
      from: z.int().min(0),
      to: z.int().min(0),
      changes: z.array(
        z.object({
          op: z.enum(['add', 'remove', 'replace']),
          path: z.string().meta({ description: 'A JSON Pointer into the state.' }),
          before: anyValue.meta({ description: 'Null with `add`.' }),
          after: anyValue.meta({ description: 'Null with `remove`.' }),
          omitted: z.boolean().meta({ description: 'The values are too large, and left out.' }),
        }),
      ),
      truncated: z.boolean().meta({ description: 'There are more changes.' }),
    }),
  },
  errors: [404, 413],
  async handle({ params, query, caller }, { engine }) {
    const found = await compare(engine, caller, {
      executionId: params.id,
      from: query.from ?? { sequence: 0 },
      to: query.to,
    });
    return {
      status: 200,
      body: {
        execution_id: found.executionId,
        from: found.from,
        to: found.to,
        changes: found.changes.map((change) => ({ ...change })),
        truncated: found.truncated,
      },
    };
  },
});
