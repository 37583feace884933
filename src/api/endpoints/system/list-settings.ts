import { z } from 'zod';

import { defineEndpoint } from '../../endpoint.ts';
import { refuseOthers } from '../tenants/manage-tenants.ts';

export const listSettings = defineEndpoint({
  name: 'list-settings',
  method: 'GET',
  path: '/settings',
  access: 'operate',
  summary: 'Lists the settings in force, and where each value comes from',
  note:
    'For operators of the tenant `default`. The settings of the process that answers, as ' +
    '`svc config show --origin` prints them. Secrets and passwords are always masked.',
  replies: {
    200: z.object({
      settings: z.array(
        z.object({
          key: z.string(),
          value: z.string().meta({ description: 'As text; empty: it is not set.' }),
          origin: z.string().meta({
            description: '`flag --port`, `env SVC_PORT`, the name of a file, or `default`.',
          }),
          secret: z.boolean(),
          meaning: z.string(),
          variables: z.array(z.string()).meta({ description: 'The variables that set it.' }),
        }),
      ),
    }),
  },
  async handle({ caller }, { system }) {
    refuseOthers(caller);
    const settings = system.settings().map(({ isSecret, variables, ...setting }) => ({
      ...setting,
      secret: isSecret,
      variables: [...variables],
    }));
    return { status: 200, body: { settings } };
  },
});
