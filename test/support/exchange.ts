import { connect } from 'node:net';

/** One answer as it came over the socket. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case, in their order; a name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Whether the announced body came completely. */
  readonly whole: boolean;
}

export interface Exchange {
  readonly answers: readonly WireAnswer[];
  /** Bytes that belong to no answer. */
  readonly rest: Buffer;
  readonly end: 'closed' | 'reset' | 'silent';
  readonly ms: number;
}

/**
 * Sends parts one after the other on a new connection, and reads until the other side closes. It
 * closes its own side after `answersDue` complete answers, because a server may take an earlier
 * close for a caller that has left. With `isCutOff` it closes after the last part.
 */
export function exchange(params: {
  readonly port: number;
  readonly parts: readonly Uint8Array[];
  readonly msMax?: number;
  readonly answersDue: number;
  readonly isCutOff?: boolean;
  /** Whether answers have no body, even with a Content-Length: answers to HEAD. */
  readonly isHead?: boolean;
  /** How long it reads a stream of events, which may never end. */
  readonly streamMsMax?: number;
}): Promise<Exchange> {
  const { isHead = false, streamMsMax } = params;
  const { port, parts, msMax = ANSWER_MS_MAX, answersDue, isCutOff = false } = params;
  const began = performance.now();
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const received: Buffer[] = [];
  let isOver = false;
  const finish = (end: Exchange['end']): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    socket.destroy();
    const { answers, rest } = readAnswers({
      bytes: Buffer.concat(received),
      isHead,
      atEnd: end !== 'silent',
    });
    resolve({ answers, rest, end, ms: performance.now() - began });
  };
  const timer = setTimeout(() => finish('silent'), msMax);
  socket.on('connect', () => void send());
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (!socket.writable) return;
    const { answers, isStream } = readAnswers({
      bytes: Buffer.concat(received),
      isHead,
      atEnd: false,
    });
    if (isStream && streamMsMax !== undefined) setTimeout(() => finish('closed'), streamMsMax);
    if (answers.filter(({ whole }) => whole).length >= answersDue) socket.end();
  });
  socket.on('end', () => finish('closed'));
  // A server that has answered and closed may reject our remaining bytes, which is harmless.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') finish('reset');
  });
  socket.on('close', () => finish('closed'));
  return promise;

  async function send(): Promise<void> {
    for (const part of parts) {
      if (isOver || !socket.writable) return;
      const written = Promise.withResolvers<void>();
      socket.write(part, () => written.resolve());
      await written.promise;
    }
    if (isCutOff && socket.writable) socket.end();
  }
}

const ANSWER_MS_MAX = 30_000;

/** Skips interim answers (1xx). `atEnd`: no more bytes will come. */
function readAnswers(given: {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  readonly atEnd: boolean;
}): {
  readonly answers: readonly WireAnswer[];
  readonly rest: Buffer;
  /** Whether the last answer is a stream of events that is still open. */
  readonly isStream: boolean;
} {
  const { bytes, isHead, atEnd } = given;
  let isStream = false;
  const answers: WireAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) break;
    const [first = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) break;
    const headers = lines.map((line): readonly [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    const { body, used, whole } = readBody({
      headers,
      hasNone: isHead || isBodiless(status),
      bytes: rest,
      from: headEnd + 4,
    });
    rest = rest.subarray(used);
    if (status >= 200 && (whole || atEnd || used === bytes.length)) {
      answers.push({ status, headers, body, whole });
    }
    if (whole) continue;
    isStream = headers.some(([name, value]) => isEventStream(name, value));
    break;
  }
  return { answers, rest, isStream };
}

function readBody(given: {
  readonly headers: WireAnswer['headers'];
  readonly hasNone: boolean;
  readonly bytes: Buffer;
  readonly from: number;
}): { readonly body: Buffer; readonly used: number; readonly whole: boolean } {
  const { headers, hasNone, bytes, from } = given;
  const valueOf = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
  if (hasNone) return { body: Buffer.alloc(0), used: from, whole: true };
  if (valueOf('transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(bytes, from);
  const announced = valueOf('content-length');
  if (announced === undefined) {
    return { body: bytes.subarray(from), used: bytes.length, whole: true };
  }
  const length = Number(announced);
  const body = bytes.subarray(from, from + length);
  return { body, used: from + body.length, whole: body.length === length };
}

function isEventStream(name: string, value: string): boolean {
  return name === 'content-type' && value.startsWith('text/event-stream');
}

function isBodiless(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

function readChunks(bytes: Buffer, from: number): ReturnType<typeof readBody> {
  const chunks: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size =
      lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || next > bytes.length) {
      return { body: Buffer.concat(chunks), used: bytes.length, whole: false };
    }
    if (size === 0) return { body: Buffer.concat(chunks), used: next, whole: true };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

export function headerOf(answer: WireAnswer, wanted: string): string | undefined {
  return answer.headers.find(([name]) => name === wanted)?.[1];
}
