import { z } from 'zod';

import { PROVIDERS, type SettingsView } from '../../../shared/engine/memory/settings-view.ts';

export const settingsShape = z.object({
  provider: z.string().nullable(),
  enabled: z.boolean(),
  configured: z.boolean().meta({ description: 'A key is kept.' }),
});

/** The fields that name a provider and a key for it. */
export const providerFields = {
  provider: z.enum(PROVIDERS),
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'must be 1 to 512 ASCII characters without spaces')
    .meta({ writeOnly: true, description: 'Never returned; kept encrypted.' }),
};

export function shapeSettings({
  provider,
  enabled,
  configured,
}: SettingsView): z.input<typeof settingsShape> {
  return { provider, enabled, configured };
}
