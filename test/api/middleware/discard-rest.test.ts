import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import test from 'ava';

import { discardRest } from '../../../src/api/middleware/discard-rest.ts';
import { startTestApi } from '../support/test-api.ts';

const MIB = 1024 * 1024;

const CASES = [
  ['a body that is too large and announced', '/executions', true],
  ['a body that is too large and sent in chunks', '/executions', false],
  ['an artifact that is too large and announced', '/artifacts', true],
  ['an artifact that is too large and sent in chunks', '/artifacts', false],
] as const;

for (const [title, path, announced] of CASES) {
  test(`${title} is answered whole, however slowly it comes`, async (t) => {
    const api = await startTestApi({ artifactBytesMax: 4 * MIB });
    t.teardown(() => api.close());
    const { hostname, port } = new URL(api.url);
    const piece = Buffer.alloc(256 * 1024, 'x');
    for (let round = 0; round < 5; round += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      await once(socket, 'connect');
      const answer: Buffer[] = [];
      socket.on('data', (part: Buffer) => answer.push(part));
      const closed = once(socket, 'close');
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${api.operatorToken}`,
          'Content-Type: application/json',
          announced ? `Content-Length: ${6 * MIB}` : 'Transfer-Encoding: chunked',
          'Connection: close',
          '\r\n',
        ].join('\r\n'),
      );
      for (let sent = 0; sent < 6 * MIB; sent += piece.length) {
        if (!announced) socket.write(`${piece.length.toString(16)}\r\n`);
        socket.write(piece);
        if (!announced) socket.write('\r\n');
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!announced) socket.write('0\r\n\r\n');
      await closed;
      t.regex(Buffer.concat(answer).toString(), /^HTTP\/1\.1 413 .*payload too large/s);
    }
  });
}

test('a body that never ends still gets an answer', async (t) => {
  const api = await startTestApi();
  t.teardown(() => api.close());
  const { hostname, port } = new URL(api.url);
  const socket = connect({ host: hostname, port: Number(port) });
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(
    `POST /executions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.operatorToken}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${1024 * MIB}\r\n\r\nx`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  t.regex(answer.toString(), /^HTTP\/1\.1 413 /);
});

const SECOND_MS = 1_000;

test('a rest that trickles in is read for ten seconds, and one that stops for one', async (t) => {
  for (const [secondsOfArrival, secondsInAll] of [
    [0, 1],
    [3, 4],
    [60, 10],
  ] as const) {
    const request = new IncomingMessage(new Socket());
    const clock = handMovedClock();
    const seconds = { gone: 0, inAll: 0 };
    const discarding = discardRest(request, clock.timers).then(() => {
      seconds.inAll = seconds.gone;
    });
    while (seconds.inAll === 0) {
      if (seconds.gone < secondsOfArrival) request.push('x');
      seconds.gone += 1;
      await eventLoopTurn();
      clock.move(SECOND_MS);
      await eventLoopTurn();
    }
    await discarding;
    t.is(seconds.inAll, secondsInAll);
  }
});

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Timers that fire when the test moves the clock. */
function handMovedClock() {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly action: () => void }>();
  return {
    timers: {
      now: () => now,
      after(ms: number, action: () => void) {
        const timer = { at: now + ms, action };
        due.add(timer);
        return () => void due.delete(timer);
      },
    },
    move(ms: number) {
      now += ms;
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= now);
        if (next === undefined) return;
        due.delete(next);
        next.action();
      }
    },
  };
}
