import type { FakeAnswer } from './fake-model-provider.ts';

/* Answers in the formats of the providers' API references. */

export type Protocol = 'openai' | 'anthropic' | 'google';

export function renderAnswer(protocol: Protocol, model: string, answer: FakeAnswer): unknown {
  const { text = '', toolCalls = [] } = answer;
  const { input, output, reason } = tell(answer);
  switch (protocol) {
    case 'openai':
      return {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: `${model}-2026-01-01`,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text === '' ? null : text,
              ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(openAiCall) }),
            },
            finish_reason: reason,
          },
        ],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      };
    case 'anthropic':
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: `${model}-20260101`,
        content: [
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...toolCalls.map((call) => ({
            type: 'tool_use',
            id: call.id,
            name: call.name,
            input: JSON.parse(call.input) as unknown,
          })),
        ],
        stop_reason: ANTHROPIC_REASONS[reason],
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: output },
      };
    case 'google':
      return {
        candidates: [
          {
            index: 0,
            content: {
              role: 'model',
              parts: [
                ...(text === '' ? [] : [{ text }]),
                ...toolCalls.map((call) => ({
                  functionCall: { name: call.name, args: JSON.parse(call.input) as unknown },
                })),
              ],
            },
            finishReason: GOOGLE_REASONS[reason],
          },
        ],
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
        },
        modelVersion: model,
      };
  }
}

/** The same as server-sent events, with the text in several pieces. */
export function renderStream(protocol: Protocol, model: string, answer: FakeAnswer): string {
  switch (protocol) {
    case 'openai':
      return openAiStream(model, answer);
    case 'anthropic':
      return anthropicStream(model, answer);
    case 'google':
      return [
        ...piecesOf(answer).map((text) => ({ ...answer, text, toolCalls: [] })),
        { ...answer, text: '' },
      ]
        .map((part, index, all) => {
          const rendered = renderAnswer('google', model, part);
          const { candidates, ...rest } = rendered as { candidates: [Record<string, unknown>] };
          const { finishReason: _, ...open } = candidates[0];
          return index === all.length - 1 ? rendered : { ...rest, candidates: [open] };
        })
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join('');
  }
}

const ANTHROPIC_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};
const GOOGLE_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

function tell({ inputTokens = 11, outputTokens = 7, toolCalls = [], finishReason }: FakeAnswer) {
  const reason = finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
  return { input: inputTokens, output: outputTokens, reason } as const;
}

function piecesOf({ text = '' }: FakeAnswer): string[] {
  return text.match(/.{1,5}/gsu) ?? [];
}

function openAiCall(call: { readonly id: string; readonly name: string; readonly input: string }) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.input } };
}

function openAiStream(model: string, answer: FakeAnswer): string {
  const { input, output, reason } = tell(answer);
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const delta = (content: unknown, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  });
  const calls = (answer.toolCalls ?? []).map((call, index) => ({ index, ...openAiCall(call) }));
  const events = [
    ...piecesOf(answer).map((content) => delta({ role: 'assistant', content })),
    ...calls.map((call) => delta({ tool_calls: [call] })),
    delta({}, reason),
    {
      ...head,
      choices: [],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
}

function anthropicStream(model: string, answer: FakeAnswer): string {
  const { input, output, reason } = tell(answer);
  const { toolCalls = [] } = answer;
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: 1 },
  };
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...piecesOf(answer).map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
    { type: 'content_block_stop', index: 0 },
    ...toolCalls.flatMap((call, at) => [
      {
        type: 'content_block_start',
        index: at + 1,
        content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
      },
      {
        type: 'content_block_delta',
        index: at + 1,
        delta: { type: 'input_json_delta', partial_json: call.input },
      },
      { type: 'content_block_stop', index: at + 1 },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: ANTHROPIC_REASONS[reason], stop_sequence: null },
      usage: { output_tokens: output },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
