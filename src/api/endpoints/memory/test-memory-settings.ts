import { z } from 'zod';

import { testMemorySettings as test } from '../../../shared/engine/memory/test-memory-settings.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { providerFields } from './settings-shape.ts';

export const testMemorySettings = defineEndpoint({
  name: 'test-memory-settings',
  method: 'POST',
  path: '/v1/memory/settings/test',
  access: 'write',
  summary: 'Tests a key at the provider without saving it',
  body: z.strictObject(providerFields),
  replies: {
    200: z.object({
      ok: z.boolean(),
      error: z.string().optional().meta({ description: 'Why not; absent when `ok` is true.' }),
    }),
  },
  async handle({ body }, { memory }) {
    const { provider, api_key: apiKey } = body;
    const error = await test(memory, { provider, apiKey });
    return { status: 200, body: error === null ? { ok: true } : { ok: false, error } };
  },
});
