import test from 'ava';

import type { AgentCard, AuthType } from '../../../../src/shared/domain/agents/agent-card.ts';
import { readAgentCard } from '../../../../src/shared/domain/agents/read-agent-card.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { A2A_CARDS, ADDRESS } from './a2a-cards.ts';

for (const [version, document] of Object.entries(A2A_CARDS)) {
  test(`a card of A2A ${version} comes to the fields of ours, and keeps its own`, (t) => {
    const card = read(document);
    t.like(card, {
      name: 'Router',
      uri: ADDRESS,
      description: 'Plans routes.',
      version: '1.2.0',
      autonomy: 'guided',
      auth: { type: 'bearer_token' },
    });
    t.deepEqual(card.capabilities.protocols, ['a2a']);
    t.like(card.capabilities.skills[0], {
      id: 'route-optimizer',
      name: 'Route Optimizer',
      description: 'Finds the shortest route.',
      input_schema: {},
      output_schema: {},
      tags: ['maps'],
    });
    const { capabilities, ...own } = document;
    t.like(card, own);
    t.like(card.capabilities, capabilities as JsonObject);
  });
}

const SCHEMES: readonly (readonly [type: AuthType, scheme: JsonObject])[] = [
  ['api_key', { type: 'apiKey', in: 'header', name: 'X-Key' }],
  ['api_key', { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } }],
  ['bearer_token', { type: 'http', scheme: 'BEARER' }],
  ['bearer_token', { httpAuthSecurityScheme: { scheme: 'bearer' } }],
  ['oauth2', { type: 'oauth2', flows: {} }],
  ['oauth2', { oauth2SecurityScheme: { flows: {} } }],
  ['oidc', { type: 'openIdConnect', openIdConnectUrl: 'https://id.example.com' }],
  ['oidc', { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.example.com' } }],
  ['mtls', { type: 'mutualTLS' }],
  ['mtls', { mtlsSecurityScheme: {} }],
  ['none', { type: 'http', scheme: 'basic' }],
  ['none', { type: 'unheard-of' }],
];

for (const [type, scheme] of SCHEMES) {
  test(`${JSON.stringify(scheme)} is ${type}`, (t) => {
    const card = read({ name: 'a', url: ADDRESS, securitySchemes: { only: scheme } });
    t.is(card.auth.type, type);
  });
}

test('a scheme without a counterpart gives way to one that has it', (t) => {
  const card = read({
    name: 'a',
    url: ADDRESS,
    securitySchemes: { basic: { type: 'http', scheme: 'basic' }, key: { type: 'apiKey' } },
    security: [{ basic: [] }, { key: [] }],
  });
  t.is(card.auth.type, 'api_key');
});

test('a skill without a name goes by its id', (t) => {
  t.is(read({ name: 'a', skills: [{ id: 'x' }] }).capabilities.skills[0]?.name, 'x');
});

test('a card with a field of ours is ours, with any other fields', (t) => {
  const ours = { name: 'a', url: ADDRESS, skills: [{ id: 'x' }] };
  t.deepEqual(read({ ...ours, uri: 'x:y' }).capabilities.protocols, []);
  t.deepEqual(read({ ...ours, capabilities: { protocols: ['mcp'] } }).capabilities.protocols, [
    'mcp',
  ]);
});

test('members that break A2A are left out or refused, and nothing breaks', (t) => {
  for (const garbage of [
    { skills: 'x', url: 5 },
    { skills: [1] },
    { skills: [], supportedInterfaces: [7] },
    { skills: [], supportedInterfaces: [{ url: {} }] },
    { skills: [], capabilities: 'x' },
    { skills: [], securitySchemes: [], security: 'x' },
    { skills: [], securitySchemes: { a: null }, security: [null, { a: 1 }] },
    { skills: [], securityRequirements: [{ schemes: 'x' }] },
    { skills: [], authentication: { schemes: 'x' } },
  ]) {
    t.notThrows(() => readAgentCard({ name: 'a', ...garbage }), JSON.stringify(garbage));
  }
});

function read(document: JsonObject): AgentCard {
  const result = readAgentCard(document);
  if (result.ok) return result.card;
  throw new Error(result.problems.join('\n'));
}
