import { Socket } from 'node:net';

import pg from 'pg';

import { StoreUnavailableError } from '../../unavailable.ts';
import { isConnectionLoss } from './errors.ts';
import { clientConfig, type ConnectionSettings } from './session.ts';

/** A connection to the server that the finder knows when it is made. */
export class ServerClient extends pg.Client {
  /** The finder's epoch at that time. */
  readonly epoch: number;
  readonly #socket: Socket;
  #isUnconfirmed = false;

  /** While a file of the password or of TLS is missing, it does not throw: connecting fails. */
  constructor(settings: ConnectionSettings, added: pg.ClientConfig = {}) {
    const { config, trouble } = tryClientConfig(settings);
    const socket = trouble === null ? new Socket() : new FailingSocket(trouble);
    super({ ...config, ...added, stream: () => socket });
    this.#socket = socket;
    this.epoch = settings.servers.epoch;
    // Unheard, an error would end the process.
    this.on('error', () => undefined);
    this.on('notice', (notice) => {
      if (notice.routine === 'SyncRepWaitForLSN') this.#isUnconfirmed = true;
    });
  }

  /** As the other side has told it: a pooler tells a number of its own. */
  get processId(): unknown {
    return Reflect.get(this, 'processID');
  }

  /** As if it broke: running queries fail, and who has it learns of an error. */
  cutOff(): void {
    this.#socket.destroy();
  }

  /**
   * A pooler that loses its server ends a row that it has begun with its own message. Such a row may
   * not be readable, and the connection ends right after it: then the end is what has happened.
   */
  causeOf(error: unknown): unknown {
    const isOwn = error instanceof Error && !('code' in error) && !isConnectionLoss(error);
    return isOwn && this.#socket.destroyed
      ? new Error('Connection terminated within an answer', { cause: error })
      : error;
  }

  /**
   * If somebody cancels the wait for a standby, the commit succeeds with a warning. A failover
   * may lose it, so its outcome is unknown.
   */
  requireConfirmed(): void {
    if (!this.#isUnconfirmed) return;
    this.#isUnconfirmed = false;
    throw new StoreUnavailableError('database unavailable: no standby has confirmed the commit', {
      ambiguous: true,
    });
  }
}

/**
 * The driver's pool makes clients within its own callbacks, where an error would end the process. Its
 * parser reads the files of TLS that the URL names.
 */
function tryClientConfig(settings: ConnectionSettings): {
  readonly config: pg.ClientConfig;
  readonly trouble: Error | null;
} {
  try {
    const config = clientConfig(settings);
    void new pg.Client(config);
    return { config, trouble: null };
  } catch (error) {
    return { config: {}, trouble: error instanceof Error ? error : new Error(String(error)) };
  }
}

class FailingSocket extends Socket {
  readonly #error: Error;

  constructor(error: Error) {
    super();
    this.#error = error;
  }

  override connect(): this {
    return this.destroy(this.#error);
  }
}
