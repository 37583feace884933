import { z } from 'zod';

import { MEMORY_TIERS } from '../../../shared/domain/memory/tiers.ts';
import { readMemoryStats as read } from '../../../shared/engine/memory/read-memory-stats.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const readMemoryStats = defineEndpoint({
  name: 'read-memory-stats',
  method: 'GET',
  path: '/v1/memory/stats',
  access: 'read',
  summary: 'Tells how much of the quota is used',
  replies: {
    200: z.object({
      count: z.int().meta({ description: 'Facts ever added, which the quota counts.' }),
      quota: z.int(),
      tier: z.enum(MEMORY_TIERS),
      live: z.int().meta({ description: 'Facts that are not forgotten.' }),
    }),
  },
  async handle({ caller }, { memory }) {
    const { count, quota, tier, live } = await read(memory, caller);
    return { status: 200, body: { count, quota, tier, live } };
  },
});
