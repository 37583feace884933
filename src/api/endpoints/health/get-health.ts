import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';

export const getHealth = defineEndpoint({
  name: 'get-health',
  method: 'GET',
  path: '/health',
  access: 'open',
  summary: 'Says that the process is alive',
  note: 'Stays 200 when the database is unavailable: a restart of the process would not help.',
  replies: {
    200: z.object({
      status: z.literal('ok'),
      version: z.string(),
      db: z.enum(['connected', 'disconnected']),
    }),
  },
  async handle(_request, deps) {
    const db = await deps.database.check();
    return { status: 200, body: { status: 'ok', version: deps.version, db } };
  },
});
