import { z } from 'zod';

import { countTokens, listTokens as list } from '../../../shared/engine/tokens/list-tokens.ts';
import { answerList } from '../../answer-list.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { positionText } from '../../schemas/position.ts';
import { pageFields, pagingOfWhole } from '../../schemas/query.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

export const listTokens = defineEndpoint({
  name: 'list-tokens',
  method: 'GET',
  path: '/tokens',
  access: 'operate',
  summary: 'Lists the tokens of the tenant, revoked and expired ones too',
  note: 'Newest first, and all without a `limit`. With one, follow `next_cursor` for more.',
  query: z.object(pagingOfWhole(positionText({ columns: 2, isTimed: true }))),
  replies: { 200: z.object({ tokens: z.array(tokenShape), ...pageFields }) },
  handle: ({ query, caller }, { engine }) =>
    answerList(query, {
      name: 'tokens',
      positionAt: ([createdAt = '', tokenId = '']) => ({ createdAt, tokenId }),
      read: (page) => list(engine, caller, page),
      count: () => countTokens(engine, caller),
      shape: shapeToken,
      columnsOf: ({ createdAt, tokenId }) => [createdAt, tokenId],
    }),
});
