import { z } from 'zod';

import { listRetentionPolicies as list } from '../../../shared/engine/retention/policies.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { type OffsetPage, readPage } from '../../offset-max.ts';
import { columnsText, encodePosition } from '../../schemas/position.ts';
import { nextCursor, optionalQuery, paging } from '../../schemas/query.ts';
import { policyShape, shapePolicy } from './policy-shape.ts';

const policyCursor = columnsText(
  (columns) => z.tuple([z.string().regex(/^[^\0]*$/)]).safeParse(columns).data?.[0] ?? null,
);

export const listRetentionPolicies = defineEndpoint({
  name: 'list-retention-policies',
  method: 'GET',
  path: '/retention/policies',
  access: 'operate',
  summary: 'Lists how long the tenant’s executions are kept after their end',
  note: 'The configuration applies where no policy does (`retention.completed_days` and so on).',
  query: z.object({ ...paging, cursor: optionalQuery(policyCursor) }),
  replies: { 200: z.object({ policies: z.array(policyShape), next_cursor: nextCursor }) },
  async handle({ query, caller }, { engine }) {
    const read = (page: OffsetPage) => list(engine, caller, { after: query.cursor, ...page });
    const { rows: policies, last } = await readPage(query, read);
    return {
      status: 200,
      body: {
        policies: policies.map(shapePolicy),
        next_cursor: last === undefined ? null : encodePosition([last.workflowId ?? '']),
      },
    };
  },
});
