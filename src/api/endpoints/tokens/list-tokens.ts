import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { paging } from '../../schemas/query.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

export const listTokens = defineEndpoint({
  name: 'list-tokens',
  method: 'GET',
  path: '/tokens',
  access: 'operate',
  summary: 'Lists the tokens of the tenant, revoked and expired ones too',
  query: z.object(paging),
  replies: { 200: z.object({ tokens: z.array(tokenShape) }) },
  async handle({ query, caller }, { tokens }) {
    const rows = await tokens.list({
      tenantId: caller.tenantId,
      limit: query.limit,
      offset: query.offset,
    });
    return { status: 200, body: { tokens: rows.map(shapeToken) } };
  },
});
