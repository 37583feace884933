import type { IncomingMessage } from 'node:http';

import { systemTimers, type Timers } from '../../shared/engine/scheduling/timers.ts';

const BYTES_MAX = 16 * 1024 * 1024;
/** In which nothing comes. */
const IDLE_MS_MAX = 1_000;
/** In all; the server's own bound on how long a request may take to arrive is longer. */
const MS_MAX = 10_000;

/**
 * Reads what is still to come of a refused request, for a while and without keeping it: a connection
 * that is closed while bytes lie unread is reset, and the answer may be lost with it.
 */
export async function discardRest(
  request: IncomingMessage,
  timers: Timers = systemTimers,
): Promise<void> {
  if (request.complete || request.destroyed) return;
  const done = Promise.withResolvers<void>();
  const began = timers.now();
  let bytes = 0;
  let seen = 0;
  let cancel = timers.after(IDLE_MS_MAX, look);

  /** A process that was held up finds its timers due before it has read what came meanwhile. */
  function look(): void {
    cancel = timers.after(0, () => {
      if (bytes === seen || timers.now() - began >= MS_MAX) return done.resolve();
      seen = bytes;
      cancel = timers.after(IDLE_MS_MAX, look);
    });
  }

  const count = (part: Buffer) => {
    bytes += part.length;
    if (bytes > BYTES_MAX) done.resolve();
  };
  request.on('data', count);
  request.once('end', done.resolve);
  request.once('close', done.resolve);
  request.resume();
  await done.promise;
  cancel();
  request.off('data', count);
  request.off('end', done.resolve);
  request.off('close', done.resolve);
  // Everything after that is discarded unread.
  request.resume();
}
