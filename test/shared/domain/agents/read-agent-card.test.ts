import test from 'ava';

import { skillNames, type AgentCard } from '../../../../src/shared/domain/agents/agent-card.ts';
import {
  CARD_BYTES_MAX,
  readAgentCard,
} from '../../../../src/shared/domain/agents/read-agent-card.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';

const DEFAULTS = {
  name: 'a',
  uri: null,
  description: '',
  version: '1.0.0',
  capabilities: { skills: [], protocols: [], tools_provided: [], tools_consumed: [] },
  autonomy: 'guided',
  auth: { type: 'none' },
} as const;

test('a card needs a name alone; the rest has defaults', (t) => {
  t.deepEqual(readAgentCard({ name: 'a' }), { ok: true, id: null, card: DEFAULTS });
});

test('null says the same as leaving a field out', (t) => {
  const card = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]));
  t.deepEqual(read({ ...card, id: null, name: 'a' }), DEFAULTS);
  const capabilities = { skills: null, protocols: null };
  t.like(read({ name: 'a', capabilities }), { capabilities: DEFAULTS.capabilities });
});

test('a full card stays as it is, with the fields we do not know', (t) => {
  const card = {
    name: 'Billing',
    uri: 'https://billing.example.com/',
    description: 'Bills.',
    version: '7',
    capabilities: {
      skills: [
        {
          name: 'bill',
          description: 'Writes a bill.',
          input_schema: { type: 'object', properties: { amount: { type: 'number' } } },
          output_schema: 'schemas/bill.json',
          price: 3,
        },
      ],
      protocols: ['mcp', 'anp'],
      tools_provided: ['pdf'],
      tools_consumed: ['ledger'],
      languages: ['en'],
    },
    autonomy: 'bounded_autonomous',
    auth: { type: 'oauth2', token_url: 'https://id.example.com/token' },
    owner: { team: 'finance' },
  };
  t.deepEqual(readAgentCard({ id: 'billing', ...card }), { ok: true, id: 'billing', card });
});

test('a skill may be its name alone, and so may the kind of authentication', (t) => {
  const card = read({ name: 'a', capabilities: { skills: ['sum'] }, auth: 'api_key' });
  t.deepEqual(card.capabilities.skills, [
    { name: 'sum', description: '', input_schema: {}, output_schema: {} },
  ]);
  t.deepEqual(card.auth, { type: 'api_key' });
});

test('protocols are in lower case, each once', (t) => {
  const card = read({ name: 'a', capabilities: { protocols: ['A2A', 'a2a', 'MCP'] } });
  t.deepEqual(card.capabilities.protocols, ['a2a', 'mcp']);
});

test('a skill is found by its name and by its id', (t) => {
  const skills = [{ name: 'Sum', id: 'sum' }, { name: 'Sum', id: 7 }, 'other'];
  t.deepEqual(skillNames(read({ name: 'a', capabilities: { skills } })), ['Sum', 'sum', 'other']);
});

const REFUSED: readonly (readonly [what: string, card: unknown, problem: RegExp])[] = [
  ['no object', [], /^the agent card must be an object$/],
  ['null', null, /^the agent card must be an object$/],
  ['no name', {}, /^name is required$/],
  ['an empty name', { name: ' ' }, /^name must not be empty$/],
  ['a name that is a number', { name: 1 }, /^name must be a string$/],
  ['a long name', { name: 'x'.repeat(513) }, /^name must be at most 512 bytes$/],
  ['a long id', { name: 'a', id: 'ü'.repeat(257) }, /^id must be at most 512 bytes$/],
  ['an empty id', { name: 'a', id: '' }, /^id must not be empty$/],
  ['an id that is a number', { name: 'a', id: 5 }, /^id must be a string$/],
  ['credentials', { name: 'a', uri: 'https://u:p@x.example' }, /^uri must not hold credentials$/],
  ['a token', { name: 'a', uri: 'https://token@x.example' }, /^uri must not hold credentials$/],
  ['an endless address', { name: 'a', uri: 'x'.repeat(2049) }, /^uri must be at most 2048 bytes$/],
  ['an unknown autonomy', { name: 'a', autonomy: 'wild' }, /^autonomy must be deterministic, guid/],
  ['an unknown auth', { name: 'a', auth: { type: 'basic' } }, /^auth.type must be none, bearer/],
  ['auth of a wrong type', { name: 'a', auth: [] }, /^auth must be an object$/],
  ['capabilities as a list', { name: 'a', capabilities: [] }, /^capabilities must be an object$/],
  ['skills as a map', cardWith({ skills: {} }), /^capabilities.skills must be an array$/],
  [
    'a skill without a name',
    cardWith({ skills: [{}] }),
    /^capabilities.skills.0.name is required$/,
  ],
  ['a skill as a number', cardWith({ skills: [1] }), /^capabilities.skills.0 must be an object$/],
  [
    'a schema as a list',
    cardWith({ skills: [{ name: 's', input_schema: [] }] }),
    /^capabilities.skills.0.input_schema must be an object or a string$/,
  ],
  [
    'a protocol as a number',
    cardWith({ protocols: ['mcp', 1] }),
    /^capabilities.protocols.1 must be a string$/,
  ],
  ['an empty tool', cardWith({ tools_provided: [''] }), /^capabilities.tools_provided.0 must not/],
  [
    'too many skills',
    cardWith({ skills: Array.from({ length: 1001 }, () => 's') }),
    /^capabilities.skills must have at most 1000 items$/,
  ],
  [
    'a huge card',
    { name: 'a', note: 'x'.repeat(CARD_BYTES_MAX) },
    /^the agent card must be at most/,
  ],
  ['U+0000', { name: 'a', note: 'x\0' }, /U\+0000.*\/note/],
  ['a lone surrogate', { name: 'a', note: '\ud800' }, /surrogate.*\/note/],
  ['a prototype', JSON.parse('{"name":"a","__proto__":{"x":1}}'), /__proto__ is not allowed/],
  ['endless nesting', { name: 'a', deep: nest(70) }, /nested deeper than 64/],
];

for (const [what, card, problem] of REFUSED) {
  test(`${what} is refused`, (t) => {
    const result = readAgentCard(card);
    if (result.ok) return t.fail('was read');
    t.regex(result.problems.join('\n'), problem);
  });
}

test('every problem is reported', (t) => {
  const result = readAgentCard({ name: 1, version: 2, autonomy: 3 });
  t.is(result.ok ? 0 : result.problems.length, 3);
});

function read(document: JsonObject): AgentCard {
  const result = readAgentCard(document);
  if (result.ok) return result.card;
  throw new Error(result.problems.join('\n'));
}

function cardWith(capabilities: JsonObject): JsonObject {
  return { name: 'a', capabilities };
}

function nest(levels: number): JsonObject {
  return levels === 0 ? {} : { a: nest(levels - 1) };
}
