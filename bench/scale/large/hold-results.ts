import { connect, type Socket } from 'node:net';

import { API_KEY } from '../../support/runtime-process.ts';

/*
 * Requests that wait for results, opened by a process of its own: their sockets count against its
 * limit of open files. It says when all are sent, and later when each answer came.
 */

interface Waits {
  readonly url: string;
  readonly executionIds: readonly string[];
}

export interface AnswerTime {
  readonly status: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

const OPENED_AT_A_TIME = 100;

process.once('message', (waits: Waits) => void hold(waits));

async function hold({ url, executionIds }: Waits): Promise<void> {
  const answers = new Map<string, AnswerTime>();
  const { promise: all, resolve: end } = Promise.withResolvers<void>();
  for (let from = 0; from < executionIds.length; from += OPENED_AT_A_TIME) {
    await Promise.all(
      executionIds.slice(from, from + OPENED_AT_A_TIME).map((id) =>
        send(url, id, (answer) => {
          answers.set(id, answer);
          if (answers.size === executionIds.length) end();
        }),
      ),
    );
  }
  process.send?.({ sent: executionIds.length });
  await all;
  process.send?.({ answers: [...answers] });
}

/** Resolves once the request is sent. */
function send(url: string, id: string, onAnswer: (answer: AnswerTime) => void): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const lines = [`host: bench`, `authorization: Bearer ${API_KEY}`, 'content-length: 0'];
  const request = `GET /executions/${id}/result?wait=60s HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(request, () => resolve(socket));
    });
    socket.once('error', reject);
    socket.once('data', (head) => {
      const atMs = performance.timeOrigin + performance.now();
      onAnswer({ status: Number(head.toString('latin1', 9, 12)), atMs });
      socket.destroy();
    });
  });
}
