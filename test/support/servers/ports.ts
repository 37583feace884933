import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * A loopback port that nothing listens on, from 20000 to 31999.
 *
 * Random, so that test processes running side by side do not race for the same first free one, and
 * below 32768, where the kernel starts to hand out ports for outgoing connections.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (isOurs(port) && (await canListen(port))) return port;
  }
  throw new Error('no free port found in 20000–31999 after 100 tries');
}

/** Nobody else of the same run is given the port, however long its server takes to start. */
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

/** Folder of the run in which each port that was given out is a file. */
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
