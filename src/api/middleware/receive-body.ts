import type { IncomingMessage } from 'node:http';

export type Received =
  | { readonly got: 'all'; readonly bytes: Buffer }
  | { readonly got: 'too much' }
  /** The connection broke in the middle, or before. */
  | { readonly got: 'a part'; readonly cause: unknown };

/**
 * Receives a body without copying what comes in one piece. A small body has mostly arrived with its
 * head: it is then read without waiting for events. After too much, the rest lies unread.
 */
export function receiveBody(request: IncomingMessage, bytesMax: number): Promise<Received> {
  if (!request.readable) return Promise.resolve({ got: 'a part', cause: request.errored });
  // Typed as anything, because a stream may hold text or objects.
  const first = request.read() as Buffer | null;
  const chunks = first === null ? [] : [first];
  if ((first?.length ?? 0) > bytesMax) return Promise.resolve({ got: 'too much' });
  if (request.complete && request.readableLength === 0) {
    return Promise.resolve({ got: 'all', bytes: joined(chunks) });
  }
  return receiveRest(request, { chunks, bytesMax });
}

function receiveRest(
  request: IncomingMessage,
  { chunks, bytesMax }: { readonly chunks: Buffer[]; readonly bytesMax: number },
): Promise<Received> {
  let length = joined(chunks).length;
  return new Promise((resolve) => {
    const settle = (received: Received): void => {
      request.off('data', keep).off('end', finish).off('error', fail).off('close', leave);
      resolve(received);
    };
    const keep = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= bytesMax) return;
      settle({ got: 'too much' });
      request.pause();
    };
    const finish = (): void => settle({ got: 'all', bytes: joined(chunks) });
    const fail = (cause: unknown): void => settle({ got: 'a part', cause });
    const leave = (): void => fail(request.errored);
    request.on('data', keep).on('end', finish).on('error', fail).on('close', leave);
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
