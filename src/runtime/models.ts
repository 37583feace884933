import type { ModelClientDeps } from '../shared/clients/models/create-model-client.ts';
import {
  variableName,
  type ConfiguredProvider,
  type ModelSettings,
} from '../shared/clients/models/provider-access.ts';
import type { Config } from '../shared/config/config.ts';
import type { PriceTable } from '../shared/domain/models/price.ts';
import { LIST_PRICES } from '../shared/domain/models/prices.ts';
import type { Cpu } from '../shared/ports/cpu.ts';
import type { ModelClient } from '../shared/ports/models.ts';
import { createGuardedFetch } from '../shared/security/guarded-fetch.ts';
import { readPricesFile } from './read-prices-file.ts';

/** Models as the configuration and the environment say. A fault in the prices ends the start. */
export function bootModels(params: {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cpu: Pick<Cpu, 'validateSchema'>;
}): ModelClient {
  const { config, env, cpu } = params;
  // How long a model may think is for the call to say.
  const bounds = { responseBytesMax: BYTES_MAX, silenceMs: 0 };
  const options = {
    settings: readModelSettings(config, env),
    prices: readPrices(config),
    cpu,
    trustedFetch: createGuardedFetch({ allowPrivate: true, ...bounds }),
    guardedFetch: createGuardedFetch({ allowPrivate: false, ...bounds }),
    now: Date.now,
  };
  let client: Promise<ModelClient> | null = null;
  return { call: async (params) => (await (client ??= openClient(options))).call(params) };
}

/** Loaded with the first call: what it speaks to providers with is large. */
async function openClient(options: ModelClientDeps): Promise<ModelClient> {
  const { createModelClient } = await import('../shared/clients/models/create-model-client.ts');
  return createModelClient(options);
}

/** List prices, with those of the operator's file before them. */
export function readPrices({ models: { pricesFile } }: Config): PriceTable {
  return { ...LIST_PRICES, ...(pricesFile !== null && readPricesFile(pricesFile)) };
}

/** The client's own bounds are the ones that count. */
const BYTES_MAX = 128 * 1024 * 1024;

export function readModelSettings(
  { models }: Config,
  env: Readonly<Record<string, string | undefined>>,
): ModelSettings {
  const { openai, anthropic, google, ollama } = models;
  const known = new Map<string, ConfiguredProvider>(
    Object.entries({ openai, anthropic, google, ollama }),
  );
  return {
    findProvider: (name) => known.get(name) ?? findInEnvironment(variableName(name), env),
    allowedBaseUrls: models.allowedBaseUrls,
  };
}

/** A provider that only the environment configures exists if its address is set. */
function findInEnvironment(
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
): ConfiguredProvider | null {
  const baseUrl = env[`${variable}_BASE_URL`] ?? '';
  // Our own settings are named like that too.
  if (baseUrl === '' || variable.startsWith('SVC_')) return null;
  const apiKey = env[`${variable}_API_KEY`] ?? '';
  return { baseUrl, apiKey: apiKey === '' ? null : apiKey };
}
