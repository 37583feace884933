import { z } from 'zod';

import type { TokenRow } from '../../../shared/store/store.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { encodePosition, positionText } from '../../schemas/position.ts';
import { LIMIT_MAX, pageFields, pagingOfWhole, WHOLE } from '../../schemas/query.ts';
import { openWholeList } from '../../whole-list.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

export const listTokens = defineEndpoint({
  name: 'list-tokens',
  method: 'GET',
  path: '/tokens',
  access: 'operate',
  summary: 'Lists the tokens of the tenant, revoked and expired ones too',
  note: 'Newest first, all of them where no `limit` is given. With one, follow `next_cursor` to read on.',
  query: z.object(pagingOfWhole(positionText({ columns: 2, isTimed: true }))),
  replies: { 200: z.object({ tokens: z.array(tokenShape), ...pageFields }) },
  async handle({ query, caller }, { tokens }) {
    const { tenantId } = caller;
    const { limit, offset, cursor } = query;
    if (limit === WHOLE && offset === 0 && cursor === null) {
      const read = (after: TokenRow | null, count: number) =>
        tokens.list({ tenantId, after, limit: count, offset: 0 });
      return { status: 200, pieces: await openWholeList('tokens', { read, shape: shapeToken }) };
    }
    const most = Math.min(limit, LIMIT_MAX);
    const [createdAt = '', tokenId = ''] = cursor ?? [];
    const after = cursor === null ? null : { createdAt, tokenId };
    const [rows, total] = await Promise.all([
      tokens.list({ tenantId, after, limit: most, offset }),
      tokens.count({ tenantId }),
    ]);
    const last = rows.length === most ? rows.at(-1) : undefined;
    const body = {
      tokens: rows.map(shapeToken),
      total,
      next_cursor: last === undefined ? null : encodePosition([last.createdAt, last.tokenId]),
    };
    return { status: 200, body };
  },
});
