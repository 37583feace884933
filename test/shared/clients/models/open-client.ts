import { createCpu } from '../../../../src/scheduler/pool/pool.ts';
import { createModelClient } from '../../../../src/shared/clients/models/create-model-client.ts';
import { LIST_PRICES } from '../../../../src/shared/domain/models/prices.ts';
import type { ModelAnswer, ModelCall, ModelFailure } from '../../../../src/shared/ports/models.ts';
import { createGuardedFetch } from '../../../../src/shared/security/guarded-fetch.ts';

/** The key of all providers, so that a test can search for it. */
export const MODEL_KEY = 'sk-of-the-operator-0123456789';

/** A client as in a process, with these base URLs and one configured key. */
export function openModelClient(params: {
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly allowedBaseUrls?: readonly string[];
  readonly apiKey?: string | null;
  readonly now?: () => number;
}) {
  const { baseUrls, allowedBaseUrls = [], apiKey = MODEL_KEY, now = Date.now } = params;
  const cpu = createCpu({ threads: 1 });
  const client = createModelClient({
    settings: {
      findProvider: (name) => ({ apiKey, baseUrl: baseUrls[name] ?? null }),
      allowedBaseUrls,
    },
    prices: LIST_PRICES,
    cpu,
    trustedFetch: createGuardedFetch({ allowPrivate: true }),
    guardedFetch: createGuardedFetch({ allowPrivate: false }),
    now,
  });
  const call = (given: Partial<ModelCall> & { readonly model: string }) =>
    client.call({
      tenantId: null,
      provider: 'openai',
      baseUrl: null,
      system: null,
      messages: [{ role: 'user', text: 'Say hello.' }],
      timeoutMs: 5_000,
      signal: new AbortController().signal,
      ...given,
    });
  return { client, call, close: () => cpu.close() };
}

export function answered(result: ModelAnswer | ModelFailure): ModelAnswer {
  if (result.ok) return result;
  throw new Error(`${result.errorClass}: ${result.error}`);
}

export function failed(result: ModelAnswer | ModelFailure): ModelFailure {
  if (!result.ok) return result;
  throw new Error(`answered: ${result.text}`);
}
