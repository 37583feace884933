import { z } from 'zod';

import { changeMemorySettings as change } from '../../../shared/engine/memory/change-memory-settings.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { settingsShape, shapeSettings } from './settings-shape.ts';

export const changeMemorySettings = defineEndpoint({
  name: 'change-memory-settings',
  method: 'PATCH',
  path: '/v1/memory/settings',
  access: 'write',
  summary: 'Switches memory on or off',
  note:
    "When memory is off, facts can't be added or recalled; they can still be listed and " +
    'forgotten.',
  body: z.strictObject({ enabled: z.boolean() }),
  replies: { 200: settingsShape },
  async handle({ body, caller }, { memory }) {
    const settings = await change(memory, caller, { enabled: body.enabled });
    return { status: 200, body: shapeSettings(settings) };
  },
});
