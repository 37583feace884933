import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

import { freePort } from '../../support/servers/ports.ts';
import { HttpRequests, PostgresMessages } from './postgres-messages.ts';

/*
 * A network path from one process to another, as a TCP proxy that can fail: it refuses, goes
 * silent, is slow, breaks, or breaks at the moment when the caller cannot know whether its request
 * was executed.
 * Silence emulates a lost route: bytes of both sides vanish, and new connections are accepted but
 * lead nowhere. Connections from that time never work again, so they break once the line is healed.
 * Meanwhile, a server with TCP keepalives drops them.
 */

export type Protocol = 'postgres' | 'http';
/** Either the request is lost with the connection, or it is executed and its answer is lost. */
export type CutAt = 'request' | 'answer';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly watch: { completesWrite(chunk: Buffer): boolean };
  isBroken: boolean;
}

/** The time that the product's own connections give a vanished client. */
const KEEPALIVE_MS = 5_000;
const ANSWER_MS_MAX = 5_000;

export class Line {
  readonly name: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #targetPort: number;
  #refuses = false;
  #isSilent = false;
  #delayMs = 0;
  #cut: { readonly at: CutAt; readonly done: () => void } | null = null;

  static async open(params: {
    readonly name: string;
    readonly protocol: Protocol;
    readonly targetPort: number;
  }): Promise<Line> {
    const port = await freePort();
    const line = new Line({ ...params, port });
    line.#server.listen(port, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  private constructor(params: {
    readonly name: string;
    readonly protocol: Protocol;
    readonly targetPort: number;
    readonly port: number;
  }) {
    this.name = params.name;
    this.port = params.port;
    this.protocol = params.protocol;
    this.#targetPort = params.targetPort;
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Breaks all connections, and returns their number. */
  breakAll(): number {
    const count = this.#connections.size;
    for (const { client, server } of this.#connections) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    return count;
  }

  refuse(): void {
    this.#refuses = true;
    this.breakAll();
  }

  fallSilent(): void {
    this.#isSilent = true;
    for (const connection of this.#connections) connection.isBroken = true;
    if (this.protocol === 'http') return;
    const gone = [...this.#connections];
    setTimeout(() => {
      for (const { server } of gone) server.destroy();
    }, KEEPALIVE_MS).unref();
  }

  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Breaks the connection of the next request that writes; resolves after that. */
  cutNextWrite(at: CutAt): Promise<void> {
    return new Promise((done) => {
      this.#cut = { at, done };
    });
  }

  /** Changes the target; connections to the former one break. */
  leadTo(targetPort: number): void {
    this.#targetPort = targetPort;
    this.breakAll();
  }

  heal(): void {
    this.#refuses = false;
    this.#isSilent = false;
    this.#delayMs = 0;
    this.#cut = null;
    for (const { client, server, isBroken } of this.#connections) {
      if (!isBroken) continue;
      client.resetAndDestroy();
      server.destroy();
    }
  }

  async close(): Promise<void> {
    this.breakAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#refuses) return void client.resetAndDestroy();
    const server = connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true });
    server.on('error', () => undefined);
    const watch = this.protocol === 'postgres' ? new PostgresMessages() : new HttpRequests();
    const connection: Connection = { client, server, watch, isBroken: this.#isSilent };
    this.#connections.add(connection);
    const toServer = delayed((chunk) => server.write(chunk));
    const toClient = delayed((chunk) => client.write(chunk));
    client.on('data', (chunk) => {
      if (connection.isBroken) return;
      const isWrite = watch.completesWrite(chunk);
      if (isWrite && this.#cut !== null) this.#cutHere(connection, chunk);
      else toServer(chunk, this.#delayMs);
    });
    server.on('data', (chunk) => {
      if (!connection.isBroken) toClient(chunk, this.#delayMs);
    });
    client.on('close', () => {
      this.#connections.delete(connection);
      if (!connection.isBroken) server.end();
    });
    server.on('close', () => {
      // On a silent line, neither side learns of the other's end.
      if (connection.isBroken) return;
      client.destroySoon();
    });
  }

  #cutHere(connection: Connection, chunk: Buffer): void {
    const { client, server } = connection;
    const cut = this.#cut;
    this.#cut = null;
    connection.isBroken = true;
    client.resetAndDestroy();
    if (cut?.at === 'request') server.resetAndDestroy();
    else {
      server.write(chunk);
      const give = setTimeout(() => server.destroy(), ANSWER_MS_MAX);
      server.once('data', () => server.destroy());
      server.once('close', () => clearTimeout(give));
    }
    cut?.done();
  }
}

/** Forwards chunks in their order, each at least this many milliseconds after it came. */
function delayed(write: (chunk: Buffer) => void): (chunk: Buffer, delayMs: number) => void {
  const waiting: { readonly chunk: Buffer; readonly dueAt: number }[] = [];
  function handOn(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const restMs = first.dueAt - performance.now();
      if (restMs > 0) return void setTimeout(handOn, restMs);
      waiting.shift();
      write(first.chunk);
    }
  }
  return (chunk, delayMs) => {
    if (delayMs === 0 && waiting.length === 0) return write(chunk);
    waiting.push({ chunk, dueAt: performance.now() + delayMs });
    if (waiting.length === 1) handOn();
  };
}
