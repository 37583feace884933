import type {
  JSONValue,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';

import type { JsonObject } from '../../domain/json.ts';
import type { ModelMessage, ModelTool } from '../../ports/models.ts';

/** The messages of a call as the providers' clients want them. */
export function toPrompt(
  system: string | null,
  messages: readonly ModelMessage[],
): LanguageModelV4Prompt {
  const first: LanguageModelV4Message[] =
    system === null ? [] : [{ role: 'system', content: system }];
  return [...first, ...messages.map(toMessage)];
}

export function toTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    ...(description !== null && { description }),
    inputSchema: toSchema(inputSchema),
  }));
}

/** Both are any JSON Schema; the clients pass it on unchanged, or fail the call. */
export function toSchema(schema: JsonObject): LanguageModelV4FunctionTool['inputSchema'] {
  return schema as LanguageModelV4FunctionTool['inputSchema'];
}

function toMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      const calls = message.toolCalls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: call.arguments,
      }));
      const text = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
      return { role: 'assistant', content: [...text, ...calls] };
    }
    case 'tool': {
      const { toolCallId, name: toolName, result } = message;
      const output =
        typeof result === 'string'
          ? { type: 'text' as const, value: result }
          : { type: 'json' as const, value: result as JSONValue };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
  }
}
