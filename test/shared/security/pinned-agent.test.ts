import test from 'ava';

import { createPinnedAgent } from '../../../src/shared/security/pinned-agent.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';

const CONNECT = { connectTimeoutMs: 5_000 };

test('a name is looked for at the pinned address alone', async (t) => {
  const server = await startHttpServer((_request, response) => void response.end());
  const agent = createPinnedAgent({ addresses: ['127.0.0.1'], ...CONNECT });
  const answer = await agent.request({
    origin: `http://no-such-name.invalid:${server.port}`,
    path: '/',
    method: 'GET',
  });
  t.is(answer.statusCode, 200);
  await agent.destroy();
  await server.close();
});

test('a literal address, of which no lookup is asked, must be the pinned one', async (t) => {
  const server = await startHttpServer((_request, response) => void response.end());
  const origin = server.url;
  const agent = createPinnedAgent({ addresses: ['8.8.8.8'], ...CONNECT });
  await t.throwsAsync(agent.request({ origin, path: '/', method: 'GET' }), {
    message: 'connected to another address than the one checked',
  });
  t.is(server.requests.length, 0);
  await agent.destroy();
  const right = createPinnedAgent({ addresses: ['::ffff:127.0.0.1'], ...CONNECT });
  t.is((await right.request({ origin, path: '/', method: 'GET' })).statusCode, 200);
  await right.destroy();
  await server.close();
});
