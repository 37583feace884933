import { isWithinUrl } from '../../domain/models/base-url.ts';
import { canonicalProvider } from '../../domain/models/model-name.ts';
import { ProviderFailure } from './provider-failure.ts';

/*
 * Where a call goes, and whether the operator's key goes with it.
 *
 * The provider's name and a base URL come from a workflow, which a tenant wrote; keys belong to the
 * operator. So a key is sent to the address that the operator configured for the provider, to the
 * provider's own when none is configured, and to addresses that the operator listed. Any other
 * address is called without a key, through the fetch that reaches no private network.
 *
 * A name beyond the built-in ones is a provider only when the operator has given it a base URL:
 * otherwise a workflow could have any variable `…_API_KEY` of the environment sent somewhere.
 */

export interface ModelSettings {
  /** The operator's configuration of a provider; null: none. */
  readonly findProvider: (name: string) => ConfiguredProvider | null;
  /** Base URLs that may be given a provider's key when a workflow names them. */
  readonly allowedBaseUrls: readonly string[];
}

export interface ConfiguredProvider {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

export type Protocol = 'openai' | 'anthropic' | 'google';

export interface ProviderAccess {
  /** The canonical name: `gemini` is `google`. */
  readonly provider: string;
  readonly protocol: Protocol;
  readonly baseUrl: string;
  /** Null: none is sent. */
  readonly apiKey: string | null;
  /** Whether the operator named this address: only then may it be a private one. */
  readonly isTrusted: boolean;
  /** Why no key is sent, to go into an error when the provider asks for one; else null. */
  readonly keyless: string | null;
}

/** Throws a `ProviderFailure` of class `unauthorized` when the provider cannot be called like this. */
export function findAccess(
  params: { readonly provider: string; readonly baseUrl: string | null },
  settings: ModelSettings,
): ProviderAccess {
  const provider = canonicalProvider(params.provider);
  const own = OWN.get(provider) ?? { protocol: 'openai', baseUrl: null };
  const configured = settings.findProvider(provider);
  const home = completeUrl(provider, configured?.baseUrl ?? own.baseUrl);
  const baseUrl = completeUrl(provider, params.baseUrl) ?? home;
  const variable = variableName(provider);
  if (baseUrl === null) {
    throw unauthorized(
      `provider ${provider} is not configured here: the operator can set ${variable}_BASE_URL`,
    );
  }
  const trusted = [...(home === null ? [] : [home]), ...settings.allowedBaseUrls];
  const isTrusted = trusted.some((url) => isWithinUrl(baseUrl, url));
  const access = { provider, protocol: own.protocol, baseUrl, isTrusted };
  if (!isTrusted) {
    const keyless =
      'no key is sent to a base_url of a workflow that models.allowed_base_urls does not list';
    return { ...access, apiKey: null, keyless };
  }
  const isKnown = OWN.has(provider) || (configured?.baseUrl ?? null) !== null;
  const apiKey = isKnown ? (configured?.apiKey ?? null) : null;
  if (apiKey === null && home === own.baseUrl && baseUrl === home) {
    throw unauthorized(
      `provider ${provider} needs a key: the operator can set ${variable}_API_KEY`,
    );
  }
  if (apiKey !== null && !HEADER_TEXT.test(apiKey)) {
    throw unauthorized(`${variable}_API_KEY holds characters that no key has`);
  }
  const keyless = apiKey === null ? `${variable}_API_KEY is not set` : null;
  return { ...access, apiKey, keyless };
}

/** The name of a provider in the environment: `my-gateway` is `MY_GATEWAY`. */
export function variableName(provider: string): string {
  return provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}

/** Nothing of a provider has to be configured that is here with an address; it needs a key. */
const OWN: ReadonlyMap<string, OwnProvider> = new Map<string, OwnProvider>([
  ['openai', { protocol: 'openai', baseUrl: 'https://api.openai.com/v1' }],
  ['anthropic', { protocol: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' }],
  ['google', { protocol: 'google', baseUrl: 'https://generativelanguage.googleapis.com/v1beta' }],
  // On whose machine it runs is for the operator to say.
  ['ollama', { protocol: 'openai', baseUrl: null }],
]);

interface OwnProvider {
  readonly protocol: Protocol;
  readonly baseUrl: string | null;
}

const VERSION_PATHS: ReadonlyMap<string, string> = new Map([
  ['anthropic', '/v1'],
  ['google', '/v1beta'],
  ['ollama', '/v1'],
]);

/** The valid characters of a header; others would cause an error with the key in its message. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** These are commonly named by their address alone; the version belongs to their paths. */
function completeUrl(provider: string, baseUrl: string | null): string | null {
  if (baseUrl === null) return null;
  const url = baseUrl.replace(/(?<!\/)\/+$/, '');
  return /^https?:\/\/[^/]+$/i.test(url) ? url + (VERSION_PATHS.get(provider) ?? '') : url;
}

function unauthorized(error: string): ProviderFailure {
  return new ProviderFailure({ error, errorClass: 'unauthorized', final: true });
}
