import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import test, { type ExecutionContext } from 'ava';

import { followEvents } from '../../../../src/shared/clients/svc/follow-events.ts';
import { freePort } from '../../../support/servers/ports.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A runtime that gives these answers in turn, and then repeats the last one. */
async function startRuntime(
  t: ExecutionContext,
  answers: readonly Answer[],
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    answer?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function open(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

function message(sequence: number, kind: string): string {
  return `id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify({ sequence, kind })}\n\n`;
}

async function collect(url: string, after = 0): Promise<number[]> {
  const seen: number[] = [];
  const events = followEvents({ url, token: null }, { executionId: 'exec_1', after });
  for await (const event of events) seen.push(event.sequence);
  return seen;
}

test('yields every event up to the terminal one, though the connection stays open', async (t) => {
  const { url } = await startRuntime(t, [
    (_, response) => {
      open(response).write(`: hello\n\n${message(1, 'WorkflowStarted')}`);
      response.write(message(2, 'WorkflowCompleted'));
    },
  ]);
  t.deepEqual(await collect(url), [1, 2]);
});

test('asks for the rest with Last-Event-ID after the connection broke, and repeats nothing', async (t) => {
  const { url, requests } = await startRuntime(t, [
    (_, response) => open(response).end(message(1, 'WorkflowStarted') + 'id: 2\ndata: {"seq'),
    (_, response) => {
      open(response).write(message(2, 'NodeScheduled'));
      response.write('', () => response.destroy());
    },
    (_, response) => response.writeHead(503).end('{"error":"unavailable: busy"}'),
    (_, response) => open(response).end(message(2, 'NodeScheduled') + message(3, 'WorkflowFailed')),
  ]);
  t.deepEqual(await collect(url), [1, 2, 3]);
  t.deepEqual(
    requests.map(({ headers }) => headers['last-event-id']),
    [undefined, '1', '2', '2'],
  );
});

test('starts after the given sequence', async (t) => {
  const { url, requests } = await startRuntime(t, [
    (_, response) => open(response).end(message(8, 'WorkflowCancelled')),
  ]);
  t.deepEqual(await collect(url, 7), [8]);
  t.is(requests[0]?.headers['last-event-id'], '7');
});

test('204: there is nothing more to come', async (t) => {
  const { url } = await startRuntime(t, [(_, response) => response.writeHead(204).end()]);
  t.deepEqual(await collect(url, 9), []);
});

test('lines end in any of the three ways, also between two packets', async (t) => {
  const event = JSON.stringify({ sequence: 1, kind: 'WorkflowCompleted' });
  const { url } = await startRuntime(t, [
    (_, response) => {
      open(response).write('id: 1\r', () => response.end(`\ndata: ${event}\r\n\r\n`));
    },
  ]);
  t.deepEqual(await collect(url), [1]);
});

test('an error that will not pass ends it at once', async (t) => {
  const { url, requests } = await startRuntime(t, [
    (_, response) => response.writeHead(404).end('{"error":"not found: execution exec_1"}'),
  ]);
  await t.throwsAsync(collect(url), { name: 'ApiError', message: /not found: execution/ });
  t.is(requests.length, 1);
});

test('a missing runtime is reported and not waited for', async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  await t.throwsAsync(collect(url), { name: 'ApiUnreachableError' });
});

test('an answer that is no event stream is refused', async (t) => {
  const { url } = await startRuntime(t, [
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  ]);
  await t.throwsAsync(collect(url), {
    message: /is not an svc runtime: it gave text\/html for an event stream/,
  });
});
