import { readMemorySettings as read } from '../../../shared/engine/memory/read-memory-settings.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { settingsShape, shapeSettings } from './settings-shape.ts';

export const readMemorySettings = defineEndpoint({
  name: 'read-memory-settings',
  method: 'GET',
  path: '/v1/memory/settings',
  access: 'read',
  summary: 'Reads the settings of memory',
  replies: { 200: settingsShape },
  async handle({ caller }, { memory }) {
    const settings = await read(memory, caller);
    return { status: 200, body: shapeSettings(settings) };
  },
});
