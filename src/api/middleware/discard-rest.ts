import type { IncomingMessage } from 'node:http';

const BYTES_MAX = 16 * 1024 * 1024;
const MS_MAX = 1_000;

/**
 * Reads what is still to come of a refused request, for a moment and without keeping it: a
 * connection that is closed while bytes lie unread is reset, and the answer may be lost with it.
 */
export async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, MS_MAX);
  let bytes = 0;
  const count = (part: Buffer) => {
    bytes += part.length;
    if (bytes > BYTES_MAX) done.resolve();
  };
  request.on('data', count);
  request.once('end', done.resolve);
  request.once('close', done.resolve);
  request.resume();
  await done.promise;
  clearTimeout(timer);
  request.off('data', count);
  request.off('end', done.resolve);
  request.off('close', done.resolve);
  // What comes after all of that is thrown away unseen.
  request.resume();
}
