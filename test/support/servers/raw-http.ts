import { once } from 'node:events';
import { connect } from 'node:net';

const ANSWER_MS_MAX = 15_000;

/**
 * Sends bytes unchanged and reads until the other side closes, for requests that no HTTP client
 * sends. `status` is that of the first answer, `body` its body as JSON.
 */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
): Promise<{ readonly status: number; readonly head: string; readonly body: unknown }> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error('no answer in time')));
  socket.on('connect', () => socket.write(bytes));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', reject);
  socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  return promise.then((text) => {
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    return { status, head, body: body === '' ? null : (JSON.parse(body) as unknown) };
  });
}

/**
 * Sends bytes unchanged. `leave` resets the connection without waiting for an answer, and resolves
 * when the socket is closed.
 */
export async function sendAndLeave(
  url: string,
  bytes: string,
): Promise<{ leave(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(bytes);
  return {
    async leave() {
      const closed = once(socket, 'close');
      socket.resetAndDestroy();
      await closed;
    },
  };
}
