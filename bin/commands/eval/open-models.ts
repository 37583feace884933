import { createModelClient } from '../../../src/shared/clients/models/create-model-client.ts';
import {
  findAccess,
  variableName,
  type ModelSettings,
} from '../../../src/shared/clients/models/provider-access.ts';
import { ProviderFailure } from '../../../src/shared/clients/models/provider-failure.ts';
import type { Scorer } from '../../../src/shared/domain/eval/scorer.ts';
import { LIST_PRICES } from '../../../src/shared/domain/models/prices.ts';
import type { ModelClient } from '../../../src/shared/ports/models.ts';
import { createGuardedFetch } from '../../../src/shared/security/guarded-fetch.ts';
import { usageError } from '../../cli/exit-code.ts';

export interface JudgeModels {
  readonly client: ModelClient;
  /** The usage of all calls so far. */
  used(): JudgeUse;
}

export type JudgeUse = {
  readonly calls: number;
  readonly tokens: number;
  /** US dollars; null: a price is not known. */
  readonly cost_usd: number | null;
};

/**
 * The models that scorers ask, with the keys of this command's environment; null: none is asked. A
 * provider that cannot be called ends the command. A key is sent to the provider or to what
 * `<PROVIDER>_BASE_URL` names, never to a `base_url` of the file.
 */
export function openModels(scorers: readonly Scorer[]): JudgeModels | null {
  const settings = readSettings(process.env);
  const models = scorers.flatMap((scorer) => (scorer.type === 'llm_judge' ? [scorer.model] : []));
  if (models.length === 0) return null;
  for (const model of models) {
    try {
      findAccess(model, settings);
    } catch (error) {
      if (error instanceof ProviderFailure) throw usageError(error.message, error);
      throw error;
    }
  }
  // The command may reach any address that its user can reach.
  const fetch = createGuardedFetch({ allowPrivate: true });
  const client = createModelClient({
    settings,
    prices: LIST_PRICES,
    // Judges are asked for no schema.
    cpu: { validateSchema: () => Promise.resolve([]) },
    trustedFetch: fetch,
    guardedFetch: fetch,
    now: Date.now,
  });
  return countUse(client);
}

function countUse(client: ModelClient): JudgeModels {
  let used: JudgeUse = { calls: 0, tokens: 0, cost_usd: 0 };
  return {
    client: {
      async call(params) {
        const answer = await client.call(params);
        const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = answer.usage ?? {};
        used = {
          calls: used.calls + 1,
          tokens: used.tokens + inputTokens + outputTokens,
          cost_usd: used.cost_usd === null || costUsd === null ? null : used.cost_usd + costUsd,
        };
        return answer;
      },
    },
    used: () => used,
  };
}

function readSettings(env: Readonly<Record<string, string | undefined>>): ModelSettings {
  const read = (name: string, what: string): string | null => {
    const value = env[`${variableName(name)}_${what}`] ?? '';
    return value === '' ? null : value;
  };
  return {
    findProvider(name) {
      const names = name === 'google' ? ['google', 'gemini'] : [name];
      const first = (what: string) =>
        names.map((one) => read(one, what)).find((value) => value !== null) ?? null;
      return { apiKey: first('API_KEY'), baseUrl: first('BASE_URL') };
    },
    allowedBaseUrls: [],
  };
}
