import test from 'ava';

import type { JsonObject } from '../../../../../src/shared/domain/json.ts';
import { problemsOf } from '../../../nodes/enter.ts';

const bearer = (token_env: string) => ({ auth: { type: 'bearer', token_env } });
const apiKey = (header: string) => ({ auth: { type: 'api_key', header, key_env: 'SVC_SECRET_A' } });
const oauth2 = (token_url: string) => ({
  auth: { type: 'oauth2', client_id_env: 'SVC_SECRET_A', client_secret_env: 'B', token_url },
});

const URL_RULE = 'must be an absolute http or https URL';
const CREDENTIALS = 'must not hold credentials: name secrets in auth';

/** Auth configurations that can never work, or would store a secret in the definition. */
const REFUSED: readonly (readonly [JsonObject, string])[] = [
  [{ url: null }, '/url: missing url'],
  [{ url: '' }, '/url: missing url'],
  [{ url: 'ftp://there.example' }, `/url: ${URL_RULE}`],
  [{ url: 'https://ann:secret@there.example' }, `/url: ${CREDENTIALS}`],
  [{ url: `https://${'a'.repeat(2048)}.example` }, '/url: is longer than 2048'],
  [bearer('a b'), '/auth: token_env must be the name of an environment variable'],
  [bearer('sk-1234567890'), '/auth: token_env must be the name of an environment variable'],
  [apiKey('a b'), '/auth: header is not the name of a header'],
  [apiKey('Host'), '/auth: header Host is set by the runtime alone'],
  [apiKey('Proxy-Authorization'), '/auth: header Proxy-Authorization is set by the runtime alone'],
  [oauth2('file:///etc/passwd'), `/auth: token_url ${URL_RULE}`],
  [oauth2('https://ann:secret@there.example'), `/auth: token_url ${CREDENTIALS}`],
];

for (const [fields, problem] of REFUSED) {
  test(`refused of an agent and of a server: ${JSON.stringify(fields).slice(0, 100)}`, (t) => {
    const part = { url: 'https://there.example/a', ...fields };
    const nodes = { n: { kind: 'pass' } };
    for (const key of ['remote_agents', 'mcp_servers']) {
      const problems = problemsOf({ workflow_id: 'w', nodes, [key]: { x: part } });
      t.deepEqual(problems, [`/${key}/x${problem}`]);
    }
  });
}

test('the card of an agent is at a path, or at an address', (t) => {
  const problems = (agent_card_path: string) =>
    problemsOf({
      workflow_id: 'w',
      nodes: { n: { kind: 'pass' } },
      remote_agents: { x: { url: 'https://there.example/a', agent_card_path } },
    });
  for (const path of ['card.json', '/card.json', 'https://cards.example/x']) {
    t.deepEqual(problems(path), []);
  }
  for (const path of ['javascript:1', 'https://[', 'file:///card.json']) {
    t.deepEqual(problems(path), [
      '/remote_agents/x/agent_card_path: must be a path, or an http or https URL',
    ]);
  }
});
