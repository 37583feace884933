import { connect, createServer, type Socket } from 'node:net';

/*
 * A TCP proxy that holds every packet back for half of `addedMs`, there and back: forked by an
 * experiment, ends with its channel. Timers of Node are too coarse for parts of a millisecond, so
 * while something waits, the process sleeps a tenth of one between two looks at its sockets.
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
  // In the order of coming, as all are held back for the same time.
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
