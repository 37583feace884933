import { connect, type Socket } from 'node:net';

/**
 * A client that costs almost nothing, so that the benchmark measures the server. It keeps
 * connections open, sends one request at a time on each, and expects a Content-Length. It is only
 * for this project's server.
 */
export interface LeanHttp {
  request(request: LeanRequest): Promise<LeanAnswer>;
  close(): void;
}

export interface LeanRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Header lines, each with its line end. */
  readonly head: string;
  /** Empty: no body. */
  readonly body: string;
}

export interface LeanAnswer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  readonly request: LeanRequest;
  readonly resolve: (answer: LeanAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface Line {
  readonly socket: Socket;
  received: Buffer;
  waiting: Waiting | null;
}

const HEAD_END = '\r\n\r\n';

export function openLeanHttp(url: string, connections: number): LeanHttp {
  const { hostname, port, host } = new URL(url);
  const lines = new Set<Line>();
  const idle: Line[] = [];
  const queue: Waiting[] = [];
  let isClosed = false;

  function open(): Line {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const line: Line = { socket, received: Buffer.alloc(0), waiting: null };
    lines.add(line);
    socket.on('data', (bytes) => receive(line, bytes));
    socket.on('error', (error) => drop(line, error));
    socket.on('close', () => drop(line, new Error('the server has closed the connection')));
    return line;
  }

  function drop(line: Line, error: Error): void {
    lines.delete(line);
    const at = idle.indexOf(line);
    if (at !== -1) idle.splice(at, 1);
    line.waiting?.reject(error);
    line.waiting = null;
    line.socket.destroy();
  }

  function receive(line: Line, bytes: Buffer): void {
    line.received = line.received.length === 0 ? bytes : Buffer.concat([line.received, bytes]);
    const headEnd = line.received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = line.received.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) return drop(line, new Error(`an answer without a length: ${head}`));
    const bodyAt = headEnd + HEAD_END.length;
    if (line.received.length < bodyAt + Number(length)) return;
    const answer = {
      status: Number(head.slice(9, 12)),
      body: line.received.toString('utf8', bodyAt),
    };
    const { waiting } = line;
    line.received = Buffer.alloc(0);
    line.waiting = null;
    const next = queue.shift();
    if (next === undefined) idle.push(line);
    else send(line, next);
    waiting?.resolve(answer);
  }

  function send(line: Line, waiting: Waiting): void {
    line.waiting = waiting;
    const { method, path, head, body } = waiting.request;
    const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    line.socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${head}${length}\r\n${body}`);
  }

  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the client is closed'));
        const waiting = { request, resolve, reject };
        const line = idle.pop() ?? (lines.size < connections ? open() : null);
        if (line === null) queue.push(waiting);
        else send(line, waiting);
      }),
    close() {
      isClosed = true;
      for (const line of lines) drop(line, new Error('the client is closed'));
    },
  };
}
