import test from 'ava';

import { openTransport } from '../../../../src/shared/clients/models/open-transport.ts';
import { ProviderFailure } from '../../../../src/shared/clients/models/provider-failure.ts';
import type { ProviderAccess } from '../../../../src/shared/clients/models/provider-access.ts';

const ACCESS: ProviderAccess = {
  provider: 'google',
  protocol: 'google',
  baseUrl: 'https://gateway.example/ours/v1beta',
  apiKey: 'sk-ours',
  isTrusted: true,
  keyless: null,
};

for (const [url, isCalled] of [
  ['https://gateway.example/ours/v1beta/models/x:generateContent', true],
  ['https://gateway.example/ours/v1beta/models/x:streamGenerateContent?alt=sse', true],
  ['https://gateway.example/ours/v1beta/models/../../../theirs/x:generateContent', false],
  ['https://gateway.example/ours/v1beta/%2e%2e/v1/x', false],
  ['https://gateway.example/ours/v1betaX/models/x', false],
  ['https://elsewhere.example/ours/v1beta/models/x', false],
] as const) {
  test(`${url} is ${isCalled ? '' : 'not '}called with the key`, async (t) => {
    const called: (string | null)[] = [];
    const transport = openTransport({
      access: ACCESS,
      idempotencyKey: null,
      isStreamed: false,
      now: Date.now,
      async fetch(_, init) {
        called.push(new Headers(init?.headers).get('x-goog-api-key'));
        return new Response('{}', { headers: { 'content-type': 'application/json' } });
      },
    });
    if (isCalled) t.is((await transport(url)).status, 200);
    else await t.throwsAsync(transport(url), { instanceOf: ProviderFailure });
    t.deepEqual(called, isCalled ? ['sk-ours'] : []);
  });
}
