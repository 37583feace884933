import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';

import { send as sendOverHttp } from '../../../sdk/typescript/src/http/lean-fetch.ts';
import { freePort } from '../../support/servers/ports.ts';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

interface Served {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
}

async function serve(t: ExecutionContext, answer: Serve): Promise<Served> {
  const sockets = new Set<Socket>();
  const server = createServer(answer);
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const BOTH = [
  ['node:http', sendOverHttp],
  ['the global fetch', globalThis.fetch],
] as const;

for (const [name, send] of BOTH) {
  test(`a request and its answer arrive whole over ${name}`, async (t) => {
    const { url } = await serve(t, (request, response) => {
      void text(request).then((body) => {
        const { method, headers } = request;
        response.setHeader('X-Several', ['one', 'two']);
        response.writeHead(201, { 'Content-Type': 'application/json' });
        response.end(
          JSON.stringify({ method, path: request.url, body, authorization: headers.authorization }),
        );
      });
    });
    const answer = await send(`${url}/a?b=%20`, {
      method: 'POST',
      headers: { authorization: 'Bearer token' },
      body: 'grüße',
    });
    t.is(answer.status, 201);
    t.is(answer.headers.get('content-type'), 'application/json');
    t.is(answer.headers.get('x-several'), 'one, two');
    t.deepEqual(await answer.json(), {
      method: 'POST',
      path: '/a?b=%20',
      body: 'grüße',
      authorization: 'Bearer token',
    });
  });

  test(`bytes, no content and a body without a length arrive over ${name}`, async (t) => {
    const { url } = await serve(t, (request, response) => {
      if (request.url === '/none') return void response.writeHead(204).end();
      void text(request).then((body) => {
        for (const piece of ['event: a\n\n', body]) response.write(piece);
        response.end();
      });
    });
    const none = await send(`${url}/none`);
    t.is(none.status, 204);
    t.is(none.body, null);
    const bytes = new TextEncoder().encode('bytes');
    const answer = await send(new URL(url), { method: 'PUT', body: bytes });
    t.is(await answer.text(), 'event: a\n\nbytes');
  });

  test(`a stream is read as it comes, until the caller leaves, over ${name}`, async (t) => {
    const left = Promise.withResolvers<void>();
    const { url } = await serve(t, (_, response) => {
      response.on('close', left.resolve);
      response.write('first');
    });
    const leaving = new AbortController();
    const answer = await send(url, { signal: leaving.signal });
    const reader = answer.body?.getReader();
    t.is(new TextDecoder().decode((await reader?.read())?.value), 'first');
    leaving.abort(new Error('enough'));
    await t.throwsAsync(async () => reader?.read());
    await left.promise;
  });

  test(`an aborted request rejects with the reason over ${name}`, async (t) => {
    const arrived = Promise.withResolvers<void>();
    const { url } = await serve(t, () => arrived.resolve());
    const leaving = new AbortController();
    const answer = send(url, { signal: leaving.signal });
    await arrived.promise;
    leaving.abort(new Error('enough'));
    await t.throwsAsync(answer, { message: 'enough' });
    await t.throwsAsync(send(url, { signal: leaving.signal }), { message: 'enough' });
  });

  test(`a refused connection and a cut answer are errors with a cause over ${name}`, async (t) => {
    const refused = await t.throwsAsync(send(`http://127.0.0.1:${await freePort()}`), {
      instanceOf: TypeError,
    });
    t.is((refused.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED');
    const { url } = await serve(t, (request, response) => {
      if (request.url === '/head') return void request.socket.destroy();
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('half', () => request.socket.destroy());
    });
    const cut = async (path: string): Promise<string> => (await send(`${url}${path}`)).text();
    for (const path of ['/head', '/body']) {
      const { cause } = await t.throwsAsync(cut(path), { instanceOf: TypeError });
      t.true(cause instanceof Error, path);
    }
  });

  test(`an answer that leads elsewhere is followed over ${name}`, async (t) => {
    const { url } = await serve(t, (request, response) => {
      if (request.url === '/old') return void response.writeHead(307, { Location: '/new' }).end();
      void text(request).then((body) => response.end(`${request.method} ${request.url} ${body}`));
    });
    const answer = await send(`${url}/old`, { method: 'POST', body: 'kept' });
    t.is(await answer.text(), 'POST /new kept');
  });
}

test('requests one after another share a connection', async (t) => {
  const { url, sockets } = await serve(t, (_, response) => response.end('{}'));
  for (let request = 0; request < 5; request += 1) await (await sendOverHttp(url)).text();
  t.is(sockets.size, 1);
});

test('the global fetch serves bodies and requests that only it knows', async (t) => {
  const { url } = await serve(t, (request, response) => {
    void text(request).then((body) => response.end(body));
  });
  const streamed = await sendOverHttp(url, { method: 'POST', body: new Blob(['of a blob']) });
  t.is(await streamed.text(), 'of a blob');
  const request = new Request(url, { method: 'POST', body: 'of a request' });
  t.is(await (await sendOverHttp(request)).text(), 'of a request');
  await t.throwsAsync(sendOverHttp('not an address'), { instanceOf: TypeError });
});

test.serial('a fetch that the program has put in place is used', async (t) => {
  const original = globalThis.fetch;
  t.teardown(() => (globalThis.fetch = original));
  globalThis.fetch = async () => new Response('replaced');
  t.is(await (await sendOverHttp('http://127.0.0.1:9/')).text(), 'replaced');
});
