import test from 'ava';

import { secretsNamed } from '../../../../src/shared/domain/tools/secrets-named.ts';
import { accept } from '../workflow/read.ts';

test('every place that can name a secret is looked at, and told once for its part', (t) => {
  const { plan } = accept({
    nodes: {},
    tools: {
      url: {
        kind: 'http',
        reference: 'https://a.example/${secret:A}/{x}?k=${secret:B}&l=${secret:A}',
      },
      header: { kind: 'http', reference: 'https://a.example/', headers: { k: 'x ${secret:C}' } },
      text: { kind: 'http', reference: 'https://a.example/', body: 'k=${secret:D}' },
      json: {
        kind: 'http',
        reference: 'https://a.example/',
        body: { a: [{ b: '${secret:E}' }], c: { literal: '${secret:NOT}' }, d: '$.x' },
      },
      python: { kind: 'python', reference: 'm:f' },
    },
    mcp_servers: {
      s: { url: 'https://s.example', auth: { type: 'bearer', token_env: 'F' } },
      open: { url: 'https://s.example' },
    },
    remote_agents: {
      'a/b': { url: 'https://r.example', auth: { type: 'api_key', header: 'k', key_env: 'G' } },
      o: {
        url: 'https://r.example',
        auth: {
          type: 'oauth2',
          client_id_env: 'H',
          client_secret_env: 'I',
          token_url: 'https://r.example/token',
        },
      },
    },
  });
  t.deepEqual(
    secretsNamed(plan.parts).map(({ name, pointer }) => `${name} ${pointer}`),
    [
      'A /tools/url',
      'B /tools/url',
      'C /tools/header',
      'D /tools/text',
      'E /tools/json',
      'F /mcp_servers/s/auth',
      'G /remote_agents/a~1b/auth',
      'H /remote_agents/o/auth',
      'I /remote_agents/o/auth',
    ],
  );
});
