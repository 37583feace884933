import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The first of the wanted loopback ports that nothing listens on, else one from 20000 to 31999. */
export async function findFreePort(wanted: readonly number[] = []): Promise<number> {
  for (const port of wanted) {
    if (await canListen(port)) return port;
  }
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (await canListen(port)) return port;
  }
  throw new Error('no free port found in 20000–31999 after 100 tries');
}

export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
