import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';

export const getRoot = defineEndpoint({
  name: 'get-root',
  method: 'GET',
  path: '/',
  access: 'open',
  summary: 'Describes this service, with links',
  note:
    'The paths are relative to this address. The answer reveals nothing about data, tenants ' +
    'or settings. A browser that asks for HTML is sent to the console.',
  replies: {
    200: z.object({
      name: z.literal('svc'),
      version: z.string(),
      docs: z.string(),
      openapi: z.string(),
      health: z.string(),
    }),
  },
  async handle(_request, { version }) {
    return {
      status: 200,
      body: {
        name: 'svc',
        version,
        docs: '/docs',
        openapi: '/openapi.json',
        health: '/health',
      },
    };
  },
});
