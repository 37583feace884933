import { startPgbouncer, type Pooler } from '../chaos/cluster/pgbouncer.ts';
import { runOnServer } from '../support/database.ts';
import { freePort } from '../support/servers/ports.ts';

/* Every cluster of a failover run gives the service a role, a database and a pooler. */

export const ROLE = 'svc';

/** This process of the service reaches the primary through the pooler. */
const BEHIND_POOLER = 'api-2';

/**
 * In place of the smallest number, which the other processes have: that leaves one connection for
 * readers. Behind the pooler each statement is planned again, so the clients of a run saturate it,
 * and what is measured after a promotion is the line for that connection.
 */
const DEFAULT_CONNECTIONS = { SVC_DATABASE_POOL_SIZE: '10', SVC_DATABASE_MAX_OVERFLOW: '5' };

export async function createServiceDatabase(primaryUrl: string): Promise<void> {
  await runOnServer(primaryUrl, `create role ${ROLE} login`);
  await runOnServer(primaryUrl, `create database ${ROLE} owner ${ROLE}`);
  await runOnServer(primaryUrl, `grant pg_monitor to ${ROLE}`);
}

/** PgBouncer in transaction mode before the front. It keeps its port over restarts. */
export class ServicePooler {
  readonly #port: number;
  readonly #folder: string;
  readonly #frontPort: number;
  #running: Pooler | null = null;

  static async create(folder: string, frontPort: number): Promise<ServicePooler> {
    return new ServicePooler({ folder, frontPort, port: await freePort() });
  }

  private constructor(params: {
    readonly folder: string;
    readonly frontPort: number;
    readonly port: number;
  }) {
    this.#folder = params.folder;
    this.#frontPort = params.frontPort;
    this.#port = params.port;
  }

  /** `hosts` as in a URL: all servers that the process may reach directly. */
  settingsOf(member: string, hosts: string): Readonly<Record<string, string>> {
    const url = `postgres://${ROLE}@${hosts}/${ROLE}`;
    if (member !== BEHIND_POOLER) return { SVC_DATABASE_URL: url };
    return {
      SVC_DATABASE_URL: `postgres://${ROLE}@127.0.0.1:${this.#port}/${ROLE}`,
      SVC_DATABASE_DIRECT_URL: url,
      ...DEFAULT_CONNECTIONS,
    };
  }

  async start(): Promise<void> {
    this.#running = await startPgbouncer({
      folder: this.#folder,
      serverPort: this.#frontPort,
      mode: 'transaction',
      port: this.#port,
    });
  }

  async stop(): Promise<void> {
    await this.#running?.close();
    this.#running = null;
  }
}
