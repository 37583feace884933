import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';

const reply = z.object({
  status: z.enum(['ok', 'unavailable', 'draining']),
  version: z.string(),
  db: z.enum(['connected', 'disconnected']),
});

export const getReady = defineEndpoint({
  name: 'get-ready',
  method: 'GET',
  path: '/ready',
  access: 'probe',
  summary: 'Reports whether the process can serve requests',
  note:
    '503 while the database is unavailable and while the process shuts down. No token can be ' +
    'checked without the database, so every caller gets this 503.',
  replies: { 200: reply, 503: reply },
  async handle(_request, { database, leaving, version }) {
    const db = await database.check();
    if (leaving.aborted) return { status: 503, body: { status: 'draining', version, db } };
    return db === 'connected'
      ? { status: 200, body: { status: 'ok', version, db } }
      : { status: 503, body: { status: 'unavailable', version, db } };
  },
});
