import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { ModelSpec } from '../../../../src/shared/nodes/model/spec.ts';
import { enter, nodeProblems, planOf, problemsOf } from '../enter.ts';

const GPT = { provider: 'openai', model: 'gpt-5-mini' };
const model = (fields: JsonObject): JsonObject => ({
  kind: { type: 'model', model: GPT, ...fields },
});
const ask = (fields: JsonObject, around: Parameters<typeof enter>[1] = {}) => {
  const entry = enter({ ...model(fields), ...pick(fields) }, around);
  return entry.do === 'work' ? entry.payload : entry;
};
const pick = ({ input_mapping }: JsonObject): JsonObject =>
  input_mapping === undefined ? {} : { input_mapping };
const user = (content: string) => [{ role: 'user', content }];

test('a prompt is text with values in it', (t) => {
  const state = { name: 'Ada', tags: ['a', 1], none: null, n: 3 };
  const prompt = 'Hi {{ state.name }}: {{state.tags}} {{ state.n + 1 }}{{ state.gone }}!';
  t.like(ask({ prompt }, { state }), { messages: user('Hi Ada: ["a",1] 4!'), system: null });
});

test('values are inserted unchanged: their text is no template', (t) => {
  const state = { text: '{{ state.secret }} ${secret:X}', secret: 's' };
  t.like(ask({ prompt: '{{ state.text }}' }, { state }), { messages: user(state.text) });
});

test('a prompt may be a path, or any mapping', (t) => {
  const state = { question: 'Why?', order: { id: 7 } };
  t.like(ask({ prompt: '$.question' }, { state }), { messages: user('Why?') });
  t.like(ask({ prompt: { order: '$.order' } }, { state }), {
    messages: user('{"order":{"id":7}}'),
  });
  t.like(ask({ prompt: 'state.question' }, { state }), { messages: user('state.question') });
});

test('a value that a prompt repeats makes no prompt without bound', (t) => {
  const state = { text: 'x'.repeat(1_000_000) };
  t.like(ask({ prompt: '{{ state.text }}'.repeat(1000) }, { state }), {
    do: 'fail',
    error: 'a prompt of more than 4194304 characters',
    errorClass: 'expression_error',
  });
});

test('the system prompt is a prompt too', (t) => {
  const fields = { system_prompt: 'Speak {{ state.language }}.', prompt: 'Hi' };
  t.like(ask(fields, { state: { language: 'Latvian' } }), { system: 'Speak Latvian.' });
});

test('with an input mapping, input is what it gives, and alone it is what is asked', (t) => {
  const around = { state: { city: 'Riga' }, input: { city: 'Oslo' } };
  const input_mapping = { place: '$.city' };
  t.like(ask({ input_mapping, prompt: 'In {{ input.place }}' }, around), {
    messages: user('In Riga'),
  });
  t.like(ask({ prompt: 'In {{ input.city }}' }, around), { messages: user('In Oslo') });
  t.like(ask({ input_mapping }, around), { messages: user('{"place":"Riga"}') });
  t.like(ask({ input_mapping: '$.city' }, around), { messages: user('Riga') });
});

test('an item of a map is seen, and does not write the state', (t) => {
  const payload = ask({ prompt: '{{ input.page }}' }, { item: { key: 'page', value: 'p-1' } });
  t.like(payload, { messages: user('p-1'), is_item: true });
});

test('a prompt may be named: one of prompts, or a path', (t) => {
  const kind = { type: 'model', model: GPT };
  const promptOf = (ref: string) => {
    const prompts = { ask: 'Why {{ state.what }}?', long: { text: 'Go on.', note: 'x' } };
    const nodes = { n: { kind: { ...kind, prompt_ref: ref } } };
    return planOf({ prompts, nodes }).nodes.get('n')?.spec as ModelSpec;
  };
  t.is(promptOf('ask').prompt?.kind, 'template');
  t.is(promptOf('long').prompt?.kind, 'template');
  t.is(promptOf('$.question').prompt?.kind, 'mapping');
});

test('a conversation goes before the prompt', (t) => {
  const messages = [
    { role: 'user', content: 'How is the weather in Riga?' },
    { role: 'assistant', tool_calls: [{ id: 'c', name: 'weather', arguments: { at: 'Riga' } }] },
    { role: 'tool', tool_call_id: 'c', name: 'weather', content: { celsius: 3 } },
  ];
  const said = ask({ messages: '$.said', prompt: 'And now?' }, { state: { said: messages } });
  t.deepEqual((said as JsonObject)['messages'], [
    messages[0],
    { ...messages[1], content: '' },
    messages[2],
    { role: 'user', content: 'And now?' },
  ]);
});

test('a conversation may have the shape of Chat Completions', (t) => {
  const said = [
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'How cold ' },
        { type: 'text', text: 'is it?' },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"at":"Riga"}' } },
        { id: 'd', type: 'function', function: { name: 'clock', arguments: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: '3' },
  ];
  const payload = ask({ messages: '$.said' }, { state: { said } });
  t.deepEqual((payload as JsonObject)['messages'], [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How cold is it?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'c', name: 'weather', arguments: { at: 'Riga' } },
        { id: 'd', name: 'clock', arguments: {} },
      ],
    },
    { role: 'tool', tool_call_id: 'c', name: 'weather', content: '3' },
  ]);
});

test('a node that names no prompt and no messages takes the conversation of its input', (t) => {
  const messages = [{ role: 'user', content: 'Hi' }];
  t.like(ask({}, { state: { messages, other: 1 } }), { messages });
  t.like(ask({ input_mapping: { messages: '$.chat' } }, { state: { chat: messages } }), {
    messages,
  });
  t.like(ask({ prompt: 'Go on.' }, { state: { messages } }), { messages: user('Go on.') });
  t.like(ask({ input_mapping: { city: '$.city' } }, { state: { messages, city: 'Riga' } }), {
    messages: user('{"city":"Riga"}'),
  });
});

test('messages that are no conversation are part of the input as before', (t) => {
  for (const messages of [[], ['Hi'], [{ text: 'Hi' }], 'Hi', { role: 'user' }]) {
    t.like(ask({}, { state: { messages } }), { messages: user(JSON.stringify({ messages })) });
  }
});

for (const [why, message, problem] of [
  ['arguments that are not JSON', calling('{'), 'messages[0] has a tool call that is neither'],
  ['arguments that are a list', calling('[1]'), 'messages[0] has a tool call that is neither'],
  [
    'arguments that no event can hold',
    calling('{"__proto__":{}}'),
    'messages[0] has a tool call that is neither',
  ],
  [
    'a picture',
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] },
    'messages[0] has a content that is neither text nor',
  ],
  [
    'a result of a call that nobody asked for',
    { role: 'tool', tool_call_id: 'x', content: '3' },
    'messages[0] has no name, and no message before it asks for a call',
  ],
  ['an unknown role', { role: 'robot', content: 'x' }, 'messages[0] has a role that is none of'],
] as const) {
  test(`a message is refused for ${why}`, (t) => {
    const entry = enter(model({}), { state: { messages: [message] } });
    t.is(entry.do, 'fail');
    t.true(JSON.stringify(entry).includes(problem), JSON.stringify(entry));
  });
}

function specOf(node: JsonObject, models: JsonObject = {}): ModelSpec {
  return planOf({ models, nodes: { n: node } }).nodes.get('n')?.spec as ModelSpec;
}

function calling(args: string): JsonObject {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: args } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

test('tools may have the shapes of OpenAI’s APIs', (t) => {
  const schema = { type: 'object', properties: { at: { type: 'string' } } };
  const told = { name: 'weather', description: 'Tells it.', parameters: schema };
  const toolsOf = (tools: readonly JsonObject[]) => specOf(model({ prompt: 'x', tools })).tools;
  const expected = {
    name: 'weather',
    names: ['weather'],
    description: 'Tells it.',
    inputSchema: schema,
  };
  t.deepEqual(toolsOf([{ type: 'function', function: told }]), [expected]);
  t.deepEqual(toolsOf([{ type: 'function', ...told }]), [expected]);
  t.deepEqual(toolsOf([{ name: 'weather', description: 'Tells it.', input_schema: schema }]), [
    expected,
  ]);
  const problemOf = (tool: JsonObject) => nodeProblems(model({ prompt: 'x', tools: [tool] }))[0];
  t.regex(problemOf({ type: 'web_search' }) ?? '', /tools\/0: must be one of /);
  t.regex(
    problemOf({ type: 'function', function: { name: 'f', parameters: 'x' } }) ?? '',
    /tools\/0\/function\/parameters: must be a JSON Schema object/,
  );
});

test('a model may be named as provider/model, unless an entry has that name', (t) => {
  const spec = (model_ref: string, models: JsonObject = {}) => {
    const kind = { type: 'model', model_ref, prompt: 'x' };
    return specOf({ kind }, models).model;
  };
  t.like(spec('openai/gpt-5-mini'), { provider: 'openai', model: 'gpt-5-mini' });
  t.like(spec('gateway/meta/llama'), { provider: 'gateway', model: 'meta/llama' });
  t.like(spec('a/b', { 'a/b': GPT }), GPT);
  const kind = { type: 'model', model_ref: 'gtp', prompt: 'x' };
  t.regex(problemsOf({ workflow_id: 'w', nodes: { n: { kind } } })[0] ?? '', /provider\/model/);
});

test('a literal text may stand as prompt_ref; a single word is a misspelt name', (t) => {
  t.like(ask({ prompt_ref: 'Sum up {{ state.what }}.' }, { state: { what: 'this' } }), {
    messages: user('Sum up this.'),
  });
  const kind = { type: 'model', model: GPT, prompt_ref: 'sumup' };
  t.regex(nodeProblems({ kind })[0] ?? '', /prompt_ref: no prompt "sumup" is in prompts/);
});

for (const [why, fields, state] of [
  ['an expression fails', { prompt: '{{ state.a > 3 }}' }, { a: 'x' }],
  ['messages are no list', { messages: '$.said' }, { said: 'hello' }],
  ['a message is none', { messages: '$.said' }, { said: [{ role: 'robot', content: 'x' }] }],
  [
    'a call has no arguments',
    { messages: '$.said' },
    { said: [{ role: 'assistant', tool_calls: [{}] }] },
  ],
  ['there is nothing to ask', { prompt: '{{ state.gone }}' }, {}],
] as const) {
  test(`nobody is asked when ${why}`, (t) => {
    t.like(ask(fields, { state }), { do: 'fail' });
  });
}

test('the fields of a node go before those of the model it names', (t) => {
  const models = { fast: { ...GPT, temperature: 1, max_tokens: 100, timeout_secs: '2s' } };
  const spec = (fields: JsonObject) => {
    const kind = { type: 'model', model_ref: 'fast', prompt: 'x', ...fields };
    return planOf({ models, nodes: { n: { kind } } }).nodes.get('n')?.spec as ModelSpec;
  };
  t.like(spec({}), { temperature: 1, maxTokens: 100, stream: false });
  t.like(spec({ temperature: 0, max_tokens: 5, stream: true }), {
    temperature: 0,
    maxTokens: 5,
    stream: true,
  });
  t.is(spec({}).model.timeoutMs, 2000);
});

test('a model’s retry policy is for nodes that have none', (t) => {
  const models = { slow: { ...GPT, retry_policy: 'io_default' } };
  const policy = (more: JsonObject) => {
    const node = { kind: { type: 'model', model_ref: 'slow', prompt: 'x' }, ...more };
    return planOf({ models, nodes: { n: node } }).nodes.get('n')?.retryPolicy.maxAttempts;
  };
  t.is(policy({}), 5);
  t.is(policy({ retry_policy: 'no_retry' }), 1);
  const ir = { workflow_id: 'w', models: { slow: { ...GPT, retry_policy: 'never' } } };
  const kind = { type: 'model', model_ref: 'slow', prompt: 'x' };
  t.regex(
    problemsOf({ ...ir, nodes: { n: { kind } } })[0] ?? '',
    /^\/models\/slow\/retry_policy: /,
  );
});

test('a model may be named by its provider beside it', (t) => {
  const kind = { type: 'model', provider: 'ollama', model: 'llama', prompt: 'x' };
  const spec = planOf({ nodes: { n: { kind } } }).nodes.get('n')?.spec as ModelSpec;
  t.like(spec.model, { provider: 'ollama', model: 'llama', baseUrl: null });
});

test('tools are offered with what the workflow says of them', (t) => {
  const input_schema = { type: 'object', properties: { id: { type: 'string' } } };
  const tools = {
    order: { kind: 'python', reference: 'shop:order', description: 'An order.', input_schema },
  };
  const inline = { name: 'done', description: 'Ends it.' };
  const kind = { type: 'model', model: GPT, prompt: 'x', tools: ['order', inline] };
  const spec = planOf({ tools, nodes: { n: { kind } } }).nodes.get('n')?.spec as ModelSpec;
  t.deepEqual(spec.tools, [
    {
      name: 'order',
      names: ['order', 'shop.order'],
      description: 'An order.',
      inputSchema: input_schema,
    },
    { name: 'done', names: ['done'], description: 'Ends it.', inputSchema: { type: 'object' } },
  ]);
});

test('a policy knows a model by its provider and by its name; at an address of its own by that', (t) => {
  const names = (fields: JsonObject) => {
    const kind = { type: 'model', model: { ...GPT, ...fields }, prompt: 'x' };
    const node = planOf({ nodes: { n: { kind } } }).nodes.get('n');
    return node?.kind.model?.(node.spec);
  };
  t.deepEqual(names({}), ['openai/gpt-5-mini', 'gpt-5-mini']);
  t.deepEqual(names({ provider: 'Gemini' }), ['google/gpt-5-mini', 'gpt-5-mini']);
  t.deepEqual(names({ base_url: 'https://elsewhere.example/v1' }), [
    'https://elsewhere.example/openai/gpt-5-mini',
  ]);
});

for (const [fields, problem] of [
  [{ model: null }, '/kind/model_ref: missing model_ref: the name of one of models'],
  [{ model_ref: 'slow' }, /^\/kind\/model_ref: no model "slow" that can be called is in models/],
  [{ model: { provider: 'openai' } }, '/kind/model/model: missing model'],
  [
    { model: { ...GPT, base_url: 'ftp://x' } },
    '/kind/model/base_url: must be an absolute http or https URL',
  ],
  [
    { model: { ...GPT, base_url: 'https://u:p@x' } },
    '/kind/model/base_url: base_url must not hold credentials',
  ],
  [
    { model: { ...GPT, base_url: 'https://x?a' } },
    '/kind/model/base_url: base_url must not have a query or fragment: paths are added to it',
  ],
  [
    { model: { ...GPT, model: '../x' } },
    '/kind/model/model: model must be the name of a model: letters, digits and any of . _ : @ / + -',
  ],
  [
    { model: { ...GPT, provider: 'a b' } },
    '/kind/model/provider: provider must be a name of letters, digits, hyphens and underscores',
  ],
  [{ prompt: 'Hi {{ state. }}' }, /^\/kind\/prompt: /],
  [{ prompt: 'Hi ${secret:SVC_SECRET_X}' }, '/kind/prompt: secrets do not go into prompts'],
  [{ prompt: { expr: '1 +' } }, /^\/kind\/prompt\/expr: /],
  [{ prompt: 'x', prompt_ref: 'y' }, '/kind/prompt_ref: stands beside prompt: give one of them'],
  [{ prompt_ref: 'ask/politely' }, /^\/kind\/prompt_ref: no prompt "ask\/politely" is in prompts/],
  [{ prompt: 'x', tools: 'all' }, /^\/kind\/tools: must be a list of tools/],
  [{ prompt: 'x', tools: ['order'] }, '/kind/tools/0: no tool "order" is in tools'],
  [{ prompt: 'x', tools: [{ name: 'a.b' }] }, /^\/kind\/tools\/0: models take names/],
  [{ prompt: 'x', tools: [{ name: 'a' }, { name: 'a' }] }, '/kind/tools/1: a second tool a'],
  [
    { prompt: 'x', tools: [{ name: 'a', input_schema: 1 }] },
    '/kind/tools/0/input_schema: must be a JSON Schema object',
  ],
  [{ prompt: 'x', temperature: 3 }, '/kind/temperature: must be a number from 0 to 2'],
  [{ prompt: 'x', max_tokens: 0.5 }, '/kind/max_tokens: must be a whole number from 1 to 10000000'],
  [{ prompt: 'x', stream: 'yes' }, '/kind/stream: must be true or false'],
  [{ prompt: 'x', output_schema: 3 }, '/kind/output_schema: must be a JSON Schema object'],
] as const) {
  test(`refused: ${JSON.stringify(fields)}`, (t) => {
    const [first = '', ...others] = nodeProblems(model(fields));
    t.deepEqual(others, []);
    if (typeof problem === 'string') t.is(first, problem);
    else t.regex(first, problem);
  });
}

test('without a prompt the input is asked, like a function is called with it', (t) => {
  t.like(ask({}, { state: { a: 1 } }), { messages: user('{"a":1}') });
});

test('prompts must be text', (t) => {
  const ir = { workflow_id: 'w', prompts: { a: 3, b: { text: '' } }, nodes: {} };
  t.deepEqual(problemsOf(ir), [
    '/prompts/a: must be text that is not empty, or {text}',
    '/prompts/b: must be text that is not empty, or {text}',
  ]);
});
