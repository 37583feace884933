import test from 'ava';

import { buildDidDocument, didOf } from '../../../../src/shared/domain/agents/did-document.ts';

const DIDS: readonly (readonly [publicUrl: string, did: string])[] = [
  ['http://localhost:7700', 'did:web:localhost%3A7700'],
  ['https://svc.example.com', 'did:web:svc.example.com'],
  ['https://svc.example.com:443', 'did:web:svc.example.com'],
  ['https://SVC.Example.com:8443', 'did:web:svc.example.com%3A8443'],
  ['http://[::1]:7700', 'did:web:%5B%3A%3A1%5D%3A7700'],
  ['https://bücher.example', 'did:web:xn--bcher-kva.example'],
  ['https://example.com/run/time', 'did:web:example.com:run:time:.well-known'],
  ['https://example.com/a~b/c%20d', 'did:web:example.com:a%7Eb:c%20d:.well-known'],
];

for (const [publicUrl, did] of DIDS) {
  test(`${publicUrl} is ${did}`, (t) => {
    t.is(didOf(publicUrl), did);
    // DID Core, section 3.1.
    t.regex(didOf(publicUrl), /^did:web:([A-Za-z0-9._-]|%[0-9A-F]{2}|:(?!:))+$/);
  });
}

test('a document names one service for each agent, by absolute ids', (t) => {
  const publicUrl = 'https://svc.example.com';
  const agents = [
    { agentId: 'billing', uri: 'https://billing.example.com/a2a' },
    { agentId: 'a b/ü(1)', uri: null },
    { agentId: 'odd', uri: 'no address at all' },
    { agentId: 'local', uri: 'agent:local' },
  ];
  const did = 'did:web:svc.example.com';
  t.deepEqual(buildDidDocument({ publicUrl, agents }), {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: did,
    service: [
      {
        id: `${did}#agent-billing`,
        type: 'AgentService',
        serviceEndpoint: 'https://billing.example.com/a2a',
      },
      {
        id: `${did}#agent-a%20b%2F%C3%BC%281%29`,
        type: 'AgentService',
        serviceEndpoint: `${publicUrl}/agents/a%20b%2F%C3%BC%281%29`,
      },
      {
        id: `${did}#agent-odd`,
        type: 'AgentService',
        serviceEndpoint: `${publicUrl}/agents/odd`,
      },
      { id: `${did}#agent-local`, type: 'AgentService', serviceEndpoint: 'agent:local' },
    ],
  });
});

test('without active agents there are no services', (t) => {
  t.deepEqual(buildDidDocument({ publicUrl: 'http://localhost:7700', agents: [] }).service, []);
});
