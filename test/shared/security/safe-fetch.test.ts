import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import type { RequestListener } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { gzipSync } from 'node:zlib';

import { HttpError, type HttpErrorCode } from '../../../src/shared/domain/http-error.ts';
import { createSafeFetch } from '../../../src/shared/security/safe-fetch.ts';
import { startHttpServer, type LocalServer } from '../../support/servers/http-server.ts';
import { freePort } from '../../support/servers/ports.ts';
import { createCertificate } from '../../support/servers/self-signed-certificate.ts';
import { HOSTILE_URLS } from './hostile-urls.ts';

const LIMITS = { timeoutMs: 10_000, responseBytesMax: 64 * 1024 };
const neverAsked = async (): Promise<string[]> => {
  throw new Error('the resolver was asked');
};
const strict = createSafeFetch({ allowPrivate: false, resolve: neverAsked });
const local = createSafeFetch({ allowPrivate: true });

test(`${HOSTILE_URLS.length} hostile addresses are refused before anyone is asked for them`, async (t) => {
  t.true(HOSTILE_URLS.length >= 60);
  for (const [url, code] of HOSTILE_URLS) {
    await failsWith(t, code, strict.fetch({ url, ...LIMITS }), url);
  }
});

test('a refusal names the address as given and nothing behind it', async (t) => {
  const resolve = async () => ['10.1.2.3'];
  const away = createSafeFetch({ allowPrivate: false, resolve });
  const error = await t.throwsAsync(away.fetch({ url: 'http://intranet.example:81/x', ...LIMITS }));
  t.is(error?.message, 'intranet.example:81 is at an address that may not be reached from here');
});

test('a refusal of a private address names the setting, one that nothing opens does not', async (t) => {
  const setting = 'tools.allow_private_networks';
  const away = createSafeFetch({ allowPrivate: false, setting });
  const refusal = async (url: string) =>
    (await t.throwsAsync(away.fetch({ url, ...LIMITS })))?.message ?? '';
  for (const host of ['127.0.0.1:81', 'localhost:81', '10.0.0.1']) {
    t.is(
      await refusal(`http://${host}/`),
      `${host} is at an address that may not be reached from here; ${setting} = true opens private addresses`,
    );
  }
  t.notRegex(await refusal('http://169.254.169.254/'), /allow_private/);
});

test('some addresses are refused even where private ones are allowed', async (t) => {
  for (const url of [
    'http://169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://[ff02::1]/',
    'file:///etc/passwd',
  ]) {
    const error = await t.throwsAsync(local.fetch({ url, ...LIMITS }), { instanceOf: HttpError });
    t.true(['refused_address', 'bad_url'].includes(error?.code ?? ''), url);
  }
});

test('a name is refused when one of its addresses is private', async (t) => {
  for (const addresses of [
    ['10.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['2606:4700::1', '::1'],
    ['::ffff:192.168.0.1'],
    ['64:ff9b::7f00:1'],
    ['fe80::1%lo'],
    ['not an address'],
  ]) {
    const away = createSafeFetch({ allowPrivate: false, resolve: async () => addresses });
    await failsWith(t, 'refused_address', away.fetch({ url: 'http://agent.example/', ...LIMITS }));
  }
});

test('a name is resolved once, and what it resolves to later is not connected to', async (t) => {
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const port = await freePort();
  const wanted = await startHttpServer(text('wanted'), { host: '127.0.0.1', port });
  const other = await startHttpServer(text('other'), { host: '127.0.0.2', port });
  let asked = 0;
  const resolve = async () => answers[Math.min(asked++, 1)] ?? [];
  const away = createSafeFetch({ allowPrivate: true, resolve });
  const response = await away.fetch({ url: `http://rebinding.example:${port}/`, ...LIMITS });
  t.is(textOf(response.body), 'wanted');
  t.is(wanted.requests[0]?.headers.host, `rebinding.example:${port}`);
  t.is(asked, 1);
  t.is(other.requests.length, 0);
  await Promise.all([wanted.close(), other.close()]);
});

test('each redirect is resolved and checked again', async (t) => {
  const server = await startHttpServer((_request, response) => {
    response.writeHead(302, { Location: 'http://second.example/' }).end();
  });
  const asked: string[] = [];
  const away = createSafeFetch({
    allowPrivate: true,
    resolve: async (name) => {
      asked.push(name);
      return name === 'first.example' ? ['127.0.0.1'] : ['169.254.169.254'];
    },
  });
  const url = `http://first.example:${server.port}/`;
  await failsWith(t, 'refused_address', away.fetch({ url, ...LIMITS }));
  t.deepEqual(asked, ['first.example', 'second.example']);
  await server.close();
});

for (const location of [
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:a9fe:a9fe]/',
  '//0.0.0.0/',
  'http://user:secret@127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/',
  'http://[fe80::1%25lo]/',
]) {
  test(`a redirect to ${location} is not followed`, async (t) => {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(302, { Location: location }).end();
    });
    const error = await t.throwsAsync(local.fetch({ url: server.url, ...LIMITS }), {
      instanceOf: HttpError,
    });
    t.true(['refused_address', 'bad_url'].includes(error?.code ?? ''));
    t.is(server.requests.length, 1);
    await server.close();
  });
}

test('three redirects are followed, a fourth is not', async (t) => {
  const server = await startHttpServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('arrived');
    else response.writeHead(307, { Location: `/${left - 1}` }).end();
  });
  const arrived = await local.fetch({ url: `${server.url}/3`, ...LIMITS });
  t.is(textOf(arrived.body), 'arrived');
  t.is(arrived.url, `${server.url}/0`);
  await failsWith(t, 'too_many_redirects', local.fetch({ url: `${server.url}/4`, ...LIMITS }));
  await server.close();
});

test('another origin gets no header that could hold a key, the same origin all of them', async (t) => {
  const other = await startHttpServer(text('other'));
  const server = await startHttpServer((request, response) => {
    const to = request.url === '/same' ? '/there' : `${other.url}/there`;
    if (request.url === '/there') response.end('same');
    else response.writeHead(307, { Location: to }).end();
  });
  const headers = { Authorization: 'Bearer k', Cookie: 'a=b', 'X-Api-Key': 'k', Accept: 'x/y' };
  await local.fetch({ url: `${server.url}/same`, headers, ...LIMITS });
  t.like(server.requests[1]?.headers, { authorization: 'Bearer k', 'x-api-key': 'k' });
  await local.fetch({ url: `${server.url}/other`, headers, ...LIMITS });
  const sent = other.requests[0]?.headers ?? {};
  t.deepEqual(
    [sent.authorization, sent.cookie, sent['x-api-key']],
    [undefined, undefined, undefined],
  );
  t.is(sent.accept, 'x/y');
  await Promise.all([server.close(), other.close()]);
});

test('a POST stays one over 307 and becomes a GET without a body over 303', async (t) => {
  const server = await startHttpServer((request, response) => {
    if (request.url === '/end') response.end();
    else response.writeHead(Number(request.url?.slice(1)), { Location: '/end' }).end();
  });
  const post = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
  const methods = async (status: number) => {
    const before = server.requests.length;
    await local.fetch({ url: `${server.url}/${status}`, ...(post as object), ...LIMITS });
    return server.requests
      .slice(before)
      .map(({ method, headers }) => `${method} ${headers['content-type'] ?? '-'}`);
  };
  t.deepEqual(await methods(307), ['POST application/json', 'POST application/json']);
  t.deepEqual(await methods(303), ['POST application/json', 'GET -']);
  t.deepEqual(await methods(301), ['POST application/json', 'GET -']);
  await server.close();
});

test('headers that describe the connection are not the caller’s to set', async (t) => {
  const server = await startHttpServer(text(''));
  const headers = { Host: 'internal', 'Transfer-Encoding': 'chunked', 'Accept-Encoding': 'gzip' };
  await local.fetch({ url: server.url, headers, ...LIMITS });
  t.like(server.requests[0]?.headers, {
    host: `127.0.0.1:${server.port}`,
    'accept-encoding': 'identity',
  });
  await server.close();
});

test('an answer comes with its status, its headers and its bytes', async (t) => {
  const server = await startHttpServer((_request, response) => {
    response.writeHead(418, { 'X-Many': ['a', 'b'], 'Content-Type': 'text/plain' }).end('tea');
  });
  const response = await local.fetch({ url: `${server.url}/pot?x=1#part`, ...LIMITS });
  t.is(response.status, 418);
  t.like(response.headers, { 'x-many': 'a, b', 'content-type': 'text/plain' });
  t.is(textOf(response.body), 'tea');
  t.is(server.requests[0]?.url, '/pot?x=1');
  await server.close();
});

const NEVER_ENDING: Readonly<Record<string, RequestListener>> = {
  'a server that never answers': () => undefined,
  'a server that stops in the middle of its body': (_request, response) => {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('12345');
  },
  'a body that comes byte by byte': (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(timer));
  },
  'a redirect to a server that never answers': (request, response) => {
    if (request.url === '/') response.writeHead(302, { Location: '/wait' }).end();
  },
};

for (const [what, answer] of Object.entries(NEVER_ENDING)) {
  test(`the time limit ends ${what}`, async (t) => {
    const server = await startHttpServer(answer);
    const request = { url: `${server.url}/`, ...LIMITS, timeoutMs: 250 };
    await failsWith(t, 'timed_out', local.fetch(request));
    await server.close();
  });
}

test('the time limit ends a resolver that never answers', async (t) => {
  const resolve = () => new Promise<string[]>(() => undefined);
  const away = createSafeFetch({ allowPrivate: false, resolve });
  const request = { url: 'http://slow.example/', ...LIMITS, timeoutMs: 50 };
  await failsWith(t, 'timed_out', holdOpen(away.fetch(request)));
});

test('the caller’s signal ends a call', async (t) => {
  const controller = new AbortController();
  const server = await startHttpServer(() => controller.abort());
  const request = { url: server.url, ...LIMITS, signal: controller.signal };
  await failsWith(t, 'aborted', local.fetch(request));
  await failsWith(t, 'aborted', local.fetch(request));
  await server.close();
});

test('a body is read up to the limit and not a byte beyond', async (t) => {
  const server = await startHttpServer((request, response) => {
    response.end('x'.repeat(Number(request.url?.slice(1))));
  });
  const ask = (bytes: number) =>
    local.fetch({ url: `${server.url}/${bytes}`, ...LIMITS, responseBytesMax: 1000 });
  t.is((await ask(1000)).body.length, 1000);
  await failsWith(t, 'too_large', ask(1001));
  await server.close();
});

test('an endless body is cut off at the limit, and the sender notices', async (t) => {
  const cut = Promise.withResolvers<void>();
  const server = await startHttpServer((_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', send).on('close', () => cut.resolve());
    send();
  });
  await failsWith(t, 'too_large', local.fetch({ url: server.url, ...LIMITS }));
  await cut.promise;
  t.pass();
  await server.close();
});

test('compressed bodies are not unpacked', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  for (const encoding of ['gzip', 'br', 'deflate, gzip']) {
    const server = await startHttpServer((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).end(bomb);
    });
    await failsWith(t, 'encoded', local.fetch({ url: server.url, ...LIMITS }));
    await server.close();
  }
});

test('nobody at the address, no HTTP there, too many headers, no such name: not reached', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  await failsWith(t, 'unreachable', local.fetch({ url: nobody, ...LIMITS }));
  const garbage = await startTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
  await failsWith(t, 'unreachable', local.fetch({ url: garbage.url, ...LIMITS }));
  await garbage.close();
  const headers = await startTcpServer((socket) => {
    socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
  });
  await failsWith(t, 'unreachable', local.fetch({ url: headers.url, ...LIMITS }));
  await headers.close();
  const resolve = async (): Promise<string[]> => {
    throw new Error('ENOTFOUND');
  };
  const away = createSafeFetch({ allowPrivate: false, resolve });
  await failsWith(t, 'unreachable', away.fetch({ url: 'http://no.example/', ...LIMITS }));
});

test('over TLS the name of the URL is asked for, at the address that was checked', async (t) => {
  const hello = Promise.withResolvers<Buffer>();
  const server = await startTcpServer((socket) => {
    socket.once('data', (bytes) => {
      hello.resolve(bytes);
      socket.destroy();
    });
  });
  const resolve = async () => ['127.0.0.1'];
  const away = createSafeFetch({ allowPrivate: true, resolve });
  const url = `https://named.example:${server.port}/`;
  await failsWith(t, 'unreachable', away.fetch({ url, ...LIMITS }));
  t.true((await hello.promise).includes('named.example'));
  await server.close();
});

test('a certificate must be for the name of the URL, wherever that leads', async (t) => {
  const certificate = createCertificate('named.example');
  setDefaultCACertificates([certificate.cert]);
  const port = await freePort();
  const server = createHttpsServer(certificate, (_request, response) => {
    response.end('secret');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const away = createSafeFetch({ allowPrivate: true, resolve: async () => ['127.0.0.1'] });
  const named = await away.fetch({ url: `https://named.example:${port}/`, ...LIMITS });
  t.is(textOf(named.body), 'secret');
  for (const host of ['other.example', '127.0.0.1']) {
    await failsWith(t, 'unreachable', away.fetch({ url: `https://${host}:${port}/`, ...LIMITS }));
  }
  server.close();
  server.closeAllConnections();
});

async function failsWith(
  t: ExecutionContext,
  code: HttpErrorCode,
  call: ReturnType<typeof local.fetch>,
  message?: string,
): Promise<void> {
  const error = await t.throwsAsync(call, { instanceOf: HttpError }, message);
  t.is(error?.code, code, message);
}

function text(body: string): RequestListener {
  return (_request, response) => void response.end(body);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Keeps the process alive while a resolver is pending. */
async function holdOpen<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => undefined, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

async function startTcpServer(
  talk: (socket: Socket) => void,
): Promise<Pick<LocalServer, 'url' | 'port' | 'close'>> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    talk(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
