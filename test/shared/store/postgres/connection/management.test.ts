import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

import test, { type ExecutionContext } from 'ava';
import { sql } from 'slonik';
import { z } from 'zod';

import { createServerFinder } from '../../../../../src/shared/store/postgres/connection/server-finder.ts';
import { openManagement } from '../../../../../src/shared/store/postgres/connection/management.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';
import { freePort } from '../../../../support/servers/ports.ts';

const SELECT = sql.type(z.object({ answer: z.number() }))`select 1 as answer`;

test('a server that goes away while a session begins fails the call, and nothing else', async (t) => {
  const server = await startServer(t, (socket, refusal) => socket.end(refusal));
  const management = await open(server.url);
  await t.throwsAsync(management.any(SELECT), { instanceOf: StoreUnavailableError });
  // Any error that the end of the connection throws outside the call fails this test.
  await server.closed;
  await management.close();
});

test('a connection whose session cannot begin is closed', async (t) => {
  const server = await startServer(t, (socket, refusal) => socket.write(refusal));
  const management = await open(server.url);
  await t.throwsAsync(management.any(SELECT), { instanceOf: StoreUnavailableError });
  await server.closed;
  await management.close();
  t.pass();
});

test('a server where no session can begin fails all who wait', async (t) => {
  const server = await startServer(t, (socket, refusal) => socket.end(refusal));
  const management = await open(server.url);
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => management.any(SELECT)));
  for (const answer of asked) {
    t.true(answer.status === 'rejected' && answer.reason instanceof StoreUnavailableError);
  }
  await management.close();
});

test('a server that goes away as a session has begun fails all who wait, and nothing else', async (t) => {
  const server = await startServer(t, (socket, refusal) => {
    socket.end(Buffer.concat([DONE, refusal]));
  });
  const management = await open(server.url);
  const asked = await Promise.allSettled(Array.from({ length: 20 }, () => management.any(SELECT)));
  for (const answer of asked) {
    t.true(answer.status === 'rejected' && answer.reason instanceof StoreUnavailableError);
  }
  await management.close();
});

function open(url: string): ReturnType<typeof openManagement> {
  return openManagement({
    max: 2,
    servers: createServerFinder({ url, connectTimeoutMs: 5_000 }),
    applicationName: 'svc-test',
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    onBackgroundError: () => undefined,
  });
}

/** Accepts every client, and refuses its first statement. */
async function startServer(
  t: ExecutionContext,
  refuse: (socket: Socket, refusal: Buffer) => void,
): Promise<{ readonly url: string; readonly closed: Promise<unknown> }> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    let isIn = false;
    socket
      .on('error', () => undefined)
      .on('close', resolve)
      .on('data', (message) => {
        if (isIn && message[0] === QUERY) refuse(socket, REFUSAL);
        else if (!isIn) socket.write(WELCOME);
        isIn = true;
      });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `postgres://nobody@127.0.0.1:${port}/none`, closed };
}

const QUERY = 'Q'.charCodeAt(0);

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** No authentication; ready for a query outside a transaction. */
const WELCOME = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const DONE = Buffer.concat([message('C', Buffer.from('SET\0')), message('Z', Buffer.from('I'))]);
const REFUSAL = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));
