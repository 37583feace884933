import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A loopback port that nothing listens on, from 20000 to 31999.
 *
 * Random, so that test processes running side by side do not race for the same first free one, and
 * below 32768, where the kernel starts to hand out ports for outgoing connections.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await canListen(port)) return port;
  }
  throw new Error('no free port found in 20000–31999 after 100 tries');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
