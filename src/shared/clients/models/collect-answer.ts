import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

import { TOO_LARGE } from './open-transport.ts';
import { ProviderFailure } from './provider-failure.ts';

/** An answer as the provider gave it, streamed or not: nothing of it has been judged. */
export interface RawAnswer {
  readonly text: string;
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: string;
  }[];
  readonly finishReason: LanguageModelV4FinishReason['unified'];
  readonly usage: LanguageModelV4Usage;
  readonly model: string | null;
}

export function collectGenerated(result: LanguageModelV4GenerateResult): RawAnswer {
  const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return {
    text: result.structuredOutputText ?? texts.join(''),
    toolCalls: result.content.flatMap((part) => (part.type === 'tool-call' ? [toCall(part)] : [])),
    finishReason: result.finishReason.unified,
    usage: result.usage,
    model: result.response?.modelId ?? null,
  };
}

/** Reads a stream to its end. Text is handed on as it comes, one piece after the other. */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  given: { readonly provider: string; readonly onText: (text: string) => Promise<void> },
): Promise<RawAnswer> {
  const { provider, onText } = given;
  let text = '';
  let model: string | null = null;
  const toolCalls: RawAnswer['toolCalls'][number][] = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      text += part.delta;
      if (text.length > TEXT_CHARACTERS_MAX) throw new ProviderFailure(TOO_LARGE(provider));
      if (part.delta !== '') await onText(part.delta);
    } else if (part.type === 'tool-call') {
      toolCalls.push(toCall(part));
    } else if (part.type === 'response-metadata') {
      model = part.modelId ?? model;
    } else if (part.type === 'error') {
      throw brokenOff(part.error, provider);
    } else if (part.type === 'finish') {
      const finishReason = part.finishReason.unified;
      return { text, toolCalls, finishReason, usage: part.usage, model };
    }
  }
  throw new ProviderFailure({
    error: `provider ${provider} broke off its answer`,
    errorClass: 'unreachable',
    final: false,
  });
}

const TEXT_CHARACTERS_MAX = 8 * 1024 * 1024;

function toCall(part: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}): RawAnswer['toolCalls'][number] {
  return { id: part.toolCallId, name: part.toolName, input: part.input };
}

/** An error among the parts: the client's own, when a part made no sense, or one the provider told. */
function brokenOff(error: unknown, provider: string): Error {
  if (error instanceof Error) return error;
  return new ProviderFailure({
    error: `provider ${provider} reported an error in the middle of its answer`,
    errorClass: 'http_5xx',
    final: false,
  });
}
