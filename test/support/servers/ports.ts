import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * A loopback port on which nothing listens, from 20000 to 27999. The tests of the SDKs in Java and Python run beside
 * these, and take theirs from 28000 on.
 * The port is random, so that concurrent test processes do not race for the first free one. It is
 * below 32768, where the kernel's range for outgoing connections begins.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 28_000);
    if (isOurs(port) && (await canListen(port))) return port;
  }
  throw new Error('no free port found in 20000–27999 after 100 tries');
}

/** Reserves the port for this run, however long the server takes to start. */
function isOurs(port: number): boolean {
  const folder = process.env[TAKEN_PORTS];
  if (folder === undefined) return true;
  try {
    writeFileSync(join(folder, `port-${port}`), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Names the folder that has a file per reserved port: of the test run, or of the whole gate. */
export const TAKEN_PORTS = 'TEST_TAKEN_PORTS';

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
