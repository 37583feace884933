import type { MemorySettings } from '../../store/memory.ts';

export const PROVIDERS = ['openai'] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface SettingsView {
  readonly provider: string | null;
  readonly enabled: boolean;
  /** A key is kept. */
  readonly configured: boolean;
}

/** `settings`: null when nothing was ever saved. */
export function viewSettings(settings: MemorySettings | null): SettingsView {
  if (settings === null) return { provider: null, enabled: false, configured: false };
  const { provider, enabled, key } = settings;
  return { provider, enabled, configured: key !== null };
}
