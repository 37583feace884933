import { z } from 'zod';

import { saveMemorySettings as save } from '../../../shared/engine/memory/save-memory-settings.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { omittable } from '../../schemas/text.ts';
import { providerFields, settingsShape, shapeSettings } from './settings-shape.ts';

export const saveMemorySettings = defineEndpoint({
  name: 'save-memory-settings',
  method: 'POST',
  path: '/v1/memory/settings',
  access: 'write',
  summary: 'Saves the key for embedding facts',
  body: z.strictObject({
    ...providerFields,
    enabled: omittable(z.boolean()).meta({ description: 'Default: true.' }),
  }),
  replies: { 200: settingsShape },
  async handle({ body, caller }, { memory }) {
    const settings = await save(memory, caller, {
      provider: body.provider,
      apiKey: body.api_key,
      enabled: body.enabled ?? true,
    });
    return { status: 200, body: shapeSettings(settings) };
  },
});
