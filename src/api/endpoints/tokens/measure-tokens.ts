import { z } from 'zod';

import { measureTokens as measure } from '../../../shared/engine/tokens/measure-tokens.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const measureTokens = defineEndpoint({
  name: 'measure-tokens',
  method: 'GET',
  path: '/tokens/count',
  access: 'operate',
  summary: 'Counts the tokens of the tenant',
  replies: { 200: z.object({ total: z.int() }) },
  async handle({ caller }, { engine }) {
    return { status: 200, body: await measure(engine, caller) };
  },
});
