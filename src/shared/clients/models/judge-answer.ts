import type { LanguageModelV4Usage } from '@ai-sdk/provider';

import { DEFAULT_TENANT } from '../../domain/ids.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import { costOf, findPrice, type PriceTable } from '../../domain/models/price.ts';
import type { Cpu, CpuCaller } from '../../ports/cpu.ts';
import type {
  ModelAnswer,
  ModelCall,
  ModelFailure,
  ModelToolCall,
  ModelUsage,
} from '../../ports/models.ts';
import type { RawAnswer } from './collect-answer.ts';
import { keepableText, readJsonAnswer } from './read-json-answer.ts';

interface Judging {
  readonly params: ModelCall;
  readonly provider: string;
  readonly raw: RawAnswer;
}

/** Whether an answer is one that was asked for, and what it cost. */
export async function judgeAnswer(
  deps: { readonly prices: PriceTable; readonly cpu: Pick<Cpu, 'validateSchema'> },
  judging: Judging,
): Promise<ModelAnswer | ModelFailure> {
  const { params, provider, raw } = judging;
  const usage = countUsage(deps.prices, judging);
  const refuse = (what: string): ModelFailure => ({
    ok: false,
    error: `provider ${provider} ${what}`,
    errorClass: 'invalid_response',
    final: false,
    usage,
  });
  switch (raw.finishReason) {
    case 'content-filter': {
      const filtered = refuse('withheld the answer: its content filter objects');
      return { ...filtered, errorClass: 'content_filter', final: true };
    }
    case 'interrupted':
      return { ...refuse('broke off its answer'), errorClass: 'unreachable' };
    case 'error':
      return { ...refuse('could not finish its answer'), errorClass: 'http_5xx' };
    default:
      break;
  }
  const toolCalls = readToolCalls(judging);
  if (typeof toolCalls === 'string') return refuse(toolCalls);
  const object = await readObject(deps.cpu, { ...judging, hasCalls: toolCalls.length > 0 });
  if (!object.ok) return refuse(object.what);
  return {
    ok: true,
    text: keepableText(raw.text),
    object: object.value,
    toolCalls,
    finishReason: raw.finishReason.replaceAll('-', '_'),
    usage,
    model: keepableText(raw.model ?? params.model).slice(0, MODEL_CHARACTERS_MAX),
  };
}

const MODEL_CHARACTERS_MAX = 200;

/** The calls the model asks for; text: what is wrong with them. */
function readToolCalls({ params, raw }: Judging): readonly ModelToolCall[] | string {
  const offered = (params.tools ?? []).map(({ name }) => name);
  const calls: ModelToolCall[] = [];
  for (const { id, name, input } of raw.toolCalls) {
    if (!offered.includes(name)) return 'called a tool that it was not offered';
    const args = input.trim() === '' ? {} : readJsonAnswer(input);
    if (!isJsonObject(args)) return `called tool ${name} with arguments that are no JSON object`;
    calls.push({ id: keepableText(id), name, arguments: args });
  }
  return calls;
}

type ReadObject =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly what: string };

async function readObject(
  cpu: Pick<Cpu, 'validateSchema'>,
  judging: Judging & { readonly hasCalls: boolean },
): Promise<ReadObject> {
  const { params, raw, hasCalls } = judging;
  const schema = params.schema ?? null;
  if (schema === null || hasCalls) return { ok: true, value: null };
  const value = readJsonAnswer(raw.text);
  if (value === undefined) {
    const why = raw.finishReason === 'length' ? ', as it was cut off at max_tokens' : '';
    return { ok: false, what: `gave an answer that is not JSON${why}` };
  }
  const { signal } = params;
  const caller: CpuCaller = {
    tenantId: params.tenantId ?? DEFAULT_TENANT,
    signal,
    whenBusy: 'waits',
  };
  const violations = await cpu.validateSchema({ schema, value, caller }).catch(() => [UNCHECKED]);
  const [first] = violations;
  if (first === undefined) return { ok: true, value };
  const more = violations.length > 1 ? ` and ${violations.length - 1} more` : '';
  const told = first.slice(0, VIOLATION_CHARACTERS_MAX) + more;
  return { ok: false, what: `gave an answer that does not satisfy the schema: ${told}` };
}

/** Its pointer holds names that the model wrote. */
const VIOLATION_CHARACTERS_MAX = 200;
/** A check has a limit of time and memory, as the schema is a tenant's. */
const UNCHECKED = 'the check took too long';

function countUsage(prices: PriceTable, { params, provider, raw }: Judging): ModelUsage {
  const { inputTokens, outputTokens } = raw.usage;
  const price =
    findPrice(prices, { provider, model: params.model }) ??
    findPrice(prices, { provider, model: raw.model ?? params.model });
  const tokens = {
    input: count(inputTokens.total),
    output: count(outputTokens.total),
    cachedInput: count(inputTokens.cacheRead),
    cacheWrite: count(inputTokens.cacheWrite),
  };
  const isCounted = wasCounted(raw.usage);
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    costUsd: price === null || !isCounted ? null : costOf(price, tokens),
  };
}

/** A provider that tells no tokens has not answered for nothing. */
function wasCounted({ inputTokens, outputTokens }: LanguageModelV4Usage): boolean {
  return inputTokens.total !== undefined && outputTokens.total !== undefined;
}

/** As a provider tells it, so it may be anything. */
function count(tokens: number | undefined): number {
  if (tokens === undefined || !Number.isFinite(tokens) || tokens < 0) return 0;
  return Math.min(Math.round(tokens), Number.MAX_SAFE_INTEGER);
}
