import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';

import { createAuthorizedFetch } from '../../../src/shared/clients/authorized-fetch.ts';
import { createGuardedFetch } from '../../../src/shared/security/guarded-fetch.ts';
import { startHttpServer } from '../../support/servers/http-server.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const guarded = createGuardedFetch({ allowPrivate: true });

for (const way of ['guarded', 'authorized'] as const) {
  test(`${way}: an abort ends a body whose request has been collected`, async (t) => {
    const closed = Promise.withResolvers<void>();
    const server = await startHttpServer((_, response) => {
      response.once('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    const fetch =
      way === 'guarded'
        ? guarded
        : createAuthorizedFetch({
            fetch: guarded,
            auth: { type: 'bearer', tokenEnv: 'A' },
            origin: server.url,
            readSecret: () => ({ ok: true, value: 'a-token' }),
            now: () => 0,
          });
    const over = new AbortController();
    const { body } = await fetch(server.url, { signal: over.signal });
    const reader = body?.getReader();
    await reader?.read();
    const ended = t.throwsAsync(async () => reader?.read(), { any: true });
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    over.abort();
    await closed.promise;
    await ended;
    await server.close();
  });
}
