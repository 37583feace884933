import { connect, createServer, type Socket } from 'node:net';

/*
 * A TCP proxy that delays every packet by half of `addedMs` in each direction. An experiment forks
 * it, and it ends with its channel. Node timers are too coarse for parts of a millisecond. While
 * packets wait, the process therefore sleeps a tenth of a millisecond between two checks of its
 * sockets.
 */

const { port, to, addedMs } = JSON.parse(process.argv[2] ?? '') as {
  readonly port: number;
  readonly to: number;
  readonly addedMs: number;
};
const SLEEP_MS = 0.1;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const waiting: { readonly dueMs: number; readonly send: () => void }[] = [];
let looking = false;

const server = createServer({ noDelay: true }, (client) => {
  const database = connect({ port: to, host: '127.0.0.1', noDelay: true });
  forward(client, database);
  forward(database, client);
});
server.listen(port, '127.0.0.1', () => process.send?.('ready'));
process.once('disconnect', () => process.exit(0));

function forward(from: Socket, into: Socket): void {
  from.on('data', (chunk: Buffer) => later(() => into.write(chunk)));
  from.on('error', () => into.destroy());
  from.on('close', () => later(() => into.end()));
}

function later(send: () => void): void {
  if (addedMs === 0) return send();
  // Packets keep their order, because all have the same delay.
  waiting.push({ dueMs: performance.now() + addedMs / 2, send });
  if (looking) return;
  looking = true;
  setImmediate(look);
}

function look(): void {
  while ((waiting[0]?.dueMs ?? Infinity) <= performance.now()) waiting.shift()?.send();
  looking = waiting.length > 0;
  if (!looking) return;
  Atomics.wait(sleeper, 0, 0, SLEEP_MS);
  setImmediate(look);
}
