import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

import { findBaseUrlProblem } from '../../domain/models/base-url.ts';
import { canonicalProvider, findModelNameProblem } from '../../domain/models/model-name.ts';
import type { PriceTable } from '../../domain/models/price.ts';
import type { Cpu } from '../../ports/cpu.ts';
import type { ModelCall, ModelClient } from '../../ports/models.ts';
import { collectGenerated, collectStream, type RawAnswer } from './collect-answer.ts';
import { judgeAnswer } from './judge-answer.ts';
import { openModel, providerOptions } from './open-model.ts';
import { openTransport } from './open-transport.ts';
import { findAccess, type ModelSettings, type ProviderAccess } from './provider-access.ts';
import { ProviderFailure, toFailure } from './provider-failure.ts';
import { toPrompt, toSchema, toTools } from './to-prompt.ts';

export interface ModelClientDeps {
  readonly settings: ModelSettings;
  readonly prices: PriceTable;
  readonly cpu: Pick<Cpu, 'validateSchema'>;
  /** To addresses the operator named: they may be private ones. */
  readonly trustedFetch: typeof globalThis.fetch;
  /** To addresses a workflow named. */
  readonly guardedFetch: typeof globalThis.fetch;
  /** Milliseconds since 1970, for `Retry-After` dates. */
  readonly now: () => number;
}

/** Models of all providers, through the clients of the AI SDK (see `open-model.ts`). */
export function createModelClient(deps: ModelClientDeps): ModelClient {
  return {
    async call(params) {
      const timeout = AbortSignal.timeout(Math.min(params.timeoutMs, TIMER_MS_MAX));
      const provider = canonicalProvider(params.provider);
      let access: ProviderAccess | null = null;
      try {
        access = openAccess(params, deps.settings);
        const raw = await exchange(deps, { params, access, timeout });
        return await judgeAnswer(deps, { params, provider: access.provider, raw });
      } catch (error) {
        if (params.signal.aborted) throw params.signal.reason;
        if (error instanceof HandlerError) throw error.cause;
        const failure = toFailure(error, { provider: access?.provider ?? provider, timeout });
        return { ok: false, ...failure };
      }
    },
  };
}

/** Node's timers know no longer time. */
const TIMER_MS_MAX = 2 ** 31 - 1;

function openAccess(params: ModelCall, settings: ModelSettings): ProviderAccess {
  const name = findModelNameProblem(params);
  if (name !== null) throw invalidInput(`${name.field} ${name.message}`);
  const url = params.baseUrl === null ? null : findBaseUrlProblem(params.baseUrl);
  if (url !== null) throw invalidInput(`base_url ${url}`);
  return findAccess(params, settings);
}

function invalidInput(error: string): ProviderFailure {
  return new ProviderFailure({ error, errorClass: 'invalid_input', final: true });
}

async function exchange(
  deps: ModelClientDeps,
  given: {
    readonly params: ModelCall;
    readonly access: ProviderAccess;
    readonly timeout: AbortSignal;
  },
): Promise<RawAnswer> {
  const { params, access, timeout } = given;
  const onText = params.onText ?? null;
  const fetch = openTransport({
    access,
    fetch: access.isTrusted ? deps.trustedFetch : deps.guardedFetch,
    idempotencyKey: params.idempotencyKey ?? null,
    isStreamed: onText !== null,
    now: deps.now,
  });
  const model = await openModel({ access, model: params.model, fetch });
  const options = toOptions(params, AbortSignal.any([params.signal, timeout]));
  if (onText === null) return collectGenerated(await model.doGenerate(options));
  const { stream } = await model.doStream(options);
  return collectStream(stream, {
    provider: access.provider,
    onText: (text) =>
      onText(text).catch((cause: unknown) => Promise.reject(new HandlerError(cause))),
  });
}

/** An error that `onText` threw; the client throws it back to its caller. */
class HandlerError extends Error {
  constructor(cause: unknown) {
    super('the handler of text failed', { cause });
  }
}

function toOptions(params: ModelCall, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const {
    system,
    messages,
    tools = [],
    schema = null,
    temperature = null,
    maxTokens = null,
  } = params;
  return {
    prompt: toPrompt(system, messages),
    ...(tools.length > 0 && { tools: toTools(tools), toolChoice: { type: 'auto' } }),
    ...(schema !== null && {
      responseFormat: { type: 'json', schema: toSchema(schema), name: 'answer' },
    }),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { maxOutputTokens: maxTokens }),
    providerOptions: providerOptions(schema),
    abortSignal,
  };
}
