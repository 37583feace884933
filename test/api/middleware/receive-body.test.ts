import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';

import { receiveBody, type Received } from '../../../src/api/middleware/receive-body.ts';
import { freePort } from '../../support/servers/ports.ts';
import { sendAndLeave } from '../../support/servers/raw-http.ts';
import { rawCall } from '../support/raw-call.ts';

const BYTES_MAX = 10;

/** A server that receives a body and answers; `received` has what it got. */
async function serve(
  t: ExecutionContext,
  before: (request: IncomingMessage) => Promise<unknown> = async () => {},
) {
  const received = Promise.withResolvers<Received>();
  const server = createServer((request, response) => {
    const receive = before(request).then(() => receiveBody(request, BYTES_MAX));
    void receive.then((body) => {
      received.resolve(body);
      response.end('{}');
    });
  });
  server.listen({ port: await freePort(), host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, received: received.promise };
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';

for (const [title, parts] of [
  ['with its head', [`${HEAD}Content-Length: 4\r\n\r\nabcd`]],
  ['after its head', [`${HEAD}Content-Length: 4\r\n\r\n`, 'abcd']],
  ['in parts', [`${HEAD}Content-Length: 4\r\n\r\nab`, 'c', 'd']],
  ['in chunks', [`${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n`, '2\r\ncd\r\n0\r\n\r\n']],
] as const) {
  test(`a body that comes ${title} is received whole`, async (t) => {
    const { port, received } = await serve(t);
    t.is((await rawCall(port, [...parts])).status, 200);
    const body = await received;
    t.is(body.got === 'all' ? body.bytes.toString() : body.got, 'abcd');
  });
}

test('a body without a byte is received whole', async (t) => {
  const { port, received } = await serve(t);
  await rawCall(port, [`${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`]);
  t.deepEqual(await received, { got: 'all', bytes: Buffer.alloc(0) });
});

for (const [title, parts] of [
  ['with its head', [`${HEAD}Content-Length: 11\r\n\r\n${'a'.repeat(11)}`]],
  [
    'in chunks',
    [`${HEAD}Transfer-Encoding: chunked\r\n\r\n6\r\naaaaaa\r\n`, '6\r\naaaaaa\r\n0\r\n\r\n'],
  ],
] as const) {
  test(`a body of too many bytes that comes ${title} is not received`, async (t) => {
    const { port, received } = await serve(t);
    await rawCall(port, [...parts]);
    t.deepEqual(await received, { got: 'too much' });
  });
}

test('a sender that leaves has sent a part', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { port, received } = await serve(t, async () => begun.resolve());
  const sender = await sendAndLeave(
    `http://127.0.0.1:${port}`,
    `${HEAD}Content-Length: 4\r\n\r\nab`,
  );
  await begun.promise;
  await sender.leave();
  t.is((await received).got, 'a part');
});
