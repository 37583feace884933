import { connect, type Socket } from 'node:net';

import { API_KEY } from '../../support/runtime-process.ts';

/*
 * Waiting requests, opened by a process of its own: their sockets count against its limit of open
 * files, not against that of the server. It tells how many were answered as expected, and waits for
 * its end.
 */

interface Waits {
  readonly url: string;
  readonly streams: number;
  readonly polls: number;
  readonly executionIds: readonly string[];
}

const OPENED_AT_A_TIME = 100;

process.once('message', (waits: Waits) => void hold(waits));

async function hold({ url, streams, polls, executionIds }: Waits): Promise<void> {
  const sockets: Socket[] = [];
  const requests = [
    ...Array.from({ length: streams }, (_, index) =>
      request('GET', `/executions/${executionIds[index % executionIds.length]}/events`, {
        accept: 'text/event-stream',
      }),
    ),
    ...Array.from({ length: polls }, (_, index) => poll(index)),
  ];
  let answered = 0;
  for (let from = 0; from < requests.length; from += OPENED_AT_A_TIME) {
    const batch = requests.slice(from, from + OPENED_AT_A_TIME);
    const opened = await Promise.all(batch.map((text) => open(url, text, from < streams)));
    sockets.push(...opened.map(({ socket }) => socket));
    answered += opened.filter(({ isOpen }) => isOpen).length;
  }
  process.send?.({ answered });
}

function poll(index: number): string {
  const body = JSON.stringify({
    worker_id: `w${index}`,
    queue_types: ['python_tool'],
    max_items: 1,
    wait_ms: 60_000,
  });
  return request('POST', '/work-items/claim', { 'content-type': 'application/json' }, body);
}

function request(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const all = { host: 'bench', authorization: `Bearer ${API_KEY}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`;
}

/** A stream is open once its head has come; a poll, once it is sent. */
function open(
  url: string,
  text: string,
  isStream: boolean,
): Promise<{ readonly socket: Socket; readonly isOpen: boolean }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(text, () => !isStream && resolve({ socket, isOpen: true }));
    });
    socket.once('error', reject);
    socket.once('data', (head) =>
      resolve({ socket, isOpen: head.toString('latin1').startsWith('HTTP/1.1 200') }),
    );
    socket.resume();
  });
}
