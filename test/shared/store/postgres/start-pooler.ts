import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import type { ExecutionContext } from 'ava';

import { freePort } from '../../../support/servers/ports.ts';

const READY = 'Z'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);
/** The start of the message with the process number: its type and its length. */
const KEY = Buffer.from([0x4b, 0, 0, 0, 12]);

/**
 * A minimal pooler: all clients share one connection to the server, and take turns. Later clients
 * get the greeting that the server sent to the first. As of any pooler, its process number is not
 * the server's.
 */
export async function startPooler(t: ExecutionContext, url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const upstream = connect({ host: hostname, port: Number(port) });
  const clients = new Set<Socket>();
  let current: Socket | null = null;
  let greeting: Buffer | null = null;
  let heard = Buffer.alloc(0);
  upstream
    .on('error', () => undefined)
    .on('data', (data) => {
      if (greeting === null) {
        renumber(data);
        heard = Buffer.concat([heard, data]);
        // Ready for the first query: the message's length, and that no transaction is open.
        if (heard.at(-6) === READY) greeting = heard;
      }
      current?.write(data);
    });
  const server = createServer((client) => {
    clients.add(client);
    let isGreeted = false;
    client
      .on('error', () => undefined)
      .on('data', (data) => {
        if (data[0] === TERMINATE) return void client.end();
        if (!isGreeted && greeting !== null) client.write(greeting);
        else {
          current = client;
          upstream.write(data);
        }
        isGreeted = true;
      });
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    upstream.destroy();
    for (const client of clients) client.destroy();
    server.close();
  });
  const pooled = new URL(url);
  pooled.port = String((server.address() as AddressInfo).port);
  return pooled.href;
}

function renumber(greeting: Buffer): void {
  const start = greeting.indexOf(KEY);
  if (start !== -1) greeting.writeInt32BE(1, start + KEY.length);
}
