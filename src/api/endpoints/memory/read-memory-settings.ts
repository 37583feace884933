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
    const settings = await memory.readSettings({ tenantId: caller.tenantId });
    return { status: 200, body: shapeSettings(settings) };
  },
});
