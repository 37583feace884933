import { connect } from 'node:net';

import type { JsonObject } from '../../../src/shared/domain/json.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * Writes bytes to a new connection, as no HTTP client would, and reads one answer. Rejects when the
 * connection is reset, or ends without an answer.
 */
export function rawCall(port: number, parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect({ port, host: '127.0.0.1' });
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const answer = parseAnswer(received);
    if (answer === null) return;
    resolve(answer);
    socket.destroy();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(String(received))}`)));
  for (const part of parts) socket.write(part);
  return promise;
}

/** Null while bytes are missing. */
function parseAnswer(bytes: Buffer): RawAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = bytes.subarray(end + 4);
  if (body.length < Number(headers['content-length'])) return null;
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: JSON.parse(body.toString()) as JsonObject,
  };
}
