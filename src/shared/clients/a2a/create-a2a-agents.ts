import type { A2aAgents } from '../../ports/a2a.ts';
import type { NamedSecrets } from '../../ports/named-secrets.ts';
import { createGuardedFetch } from '../../security/guarded-fetch.ts';

export interface A2aOptions {
  /** `agents.allow_private_networks` */
  readonly allowPrivate: boolean;
  readonly secrets: NamedSecrets;
  /** Milliseconds of any steady clock. */
  readonly now: () => number;
}

/** Limit of one answer; longer ones are refused. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

/** Agents reached over the guarded way out. The SDK is loaded with the first of them. */
export function createA2aAgents(options: A2aOptions): A2aAgents {
  const fetch = createGuardedFetch({
    allowPrivate: options.allowPrivate,
    setting: 'agents.allow_private_networks',
    responseBytesMax: RESPONSE_BYTES_MAX,
    redirects: 'same_origin',
  });
  return {
    async open(target, signal) {
      const { openAgent } = await import('./open-agent.ts');
      return openAgent({ ...options, fetch, target, signal });
    },
  };
}
