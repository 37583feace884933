import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';

import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ProviderAccess } from './provider-access.ts';

/*
 * The providers' clients are loaded at the first call of a model, so that a runtime without model
 * nodes pays nothing for them.
 *
 * They are given an address and a `fetch` and nothing else. Left to themselves they would take keys
 * from the environment; what they are given in place of one is no key, and the `fetch` takes it off
 * again.
 */

export async function openModel(params: {
  readonly access: ProviderAccess;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}): Promise<LanguageModelV4> {
  const { access, model, fetch } = params;
  const given = { baseURL: access.baseUrl, fetch, apiKey: NO_KEY };
  switch (access.protocol) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(given).languageModel(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(given).languageModel(model);
    }
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        ...given,
        name: 'svc',
        includeUsage: true,
        supportsStructuredOutputs: true,
        ...(access.provider === 'openai' && { transformRequestBody: renameMaxTokens }),
      }).chatModel(model);
    }
  }
}

/** Settings that differ between providers. */
export function providerOptions(schema: JsonObject | null): SharedV4ProviderOptions {
  return {
    openaiCompatible: { strictJsonSchema: schema !== null && isStrict(schema) },
  };
}

const NO_KEY = 'none';

/** OpenAI's newer models refuse the old name, which others still speak; its older ones take both. */
function renameMaxTokens(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: maxTokens, ...rest } = body;
  return maxTokens === undefined ? rest : { ...rest, max_completion_tokens: maxTokens };
}

/**
 * Whether a schema is one that OpenAI takes as a strict one: every object lists all its properties as
 * required and allows no others. Any other is sent as guidance; the answer is checked here anyway.
 */
function isStrict(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  const { properties, required, additionalProperties } = schema;
  if (schema['type'] === 'object' || properties !== undefined) {
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const listed = Array.isArray(required) ? required : [];
    if (additionalProperties !== false) return false;
    if (!names.every((name) => listed.includes(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
