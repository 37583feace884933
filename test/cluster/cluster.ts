import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { sendRequest } from '../support/http.ts';
import { freePort } from '../support/servers/ports.ts';
import { startProgram, waitUntilReady, type Started } from '../support/processes.ts';
import { startRuntime, type Runtime } from '../support/runtime.ts';

const WORKER = fileURLToPath(new URL('../../examples/workers/node/main.ts', import.meta.url));
const HANDLERS = fileURLToPath(new URL('./chain-handlers.ts', import.meta.url));
/** Short, so that another process soon takes over the items of a killed one. */
const LEASE_SECONDS = '3';

/** The processes of one cluster; `stop` kills those that still run. */
export class Cluster {
  readonly apiKey: string;
  readonly #databaseUrl: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #handlers: string;
  readonly #started: Started[] = [];

  /** `env`: for all processes of the runtime; `handlers`: the file with the workers' handlers. */
  constructor(
    databaseUrl: string,
    options: {
      readonly env?: Readonly<Record<string, string>>;
      readonly handlers?: string;
      /** The key of another cluster on the same database. */
      readonly apiKey?: string;
    } = {},
  ) {
    this.apiKey = options.apiKey ?? `key-${randomBytes(24).toString('base64url')}`;
    this.#databaseUrl = databaseUrl;
    this.#env = { SVC_SCHEDULER_LEASE_SECONDS: LEASE_SECONDS, ...options.env };
    this.#handlers = options.handlers ?? HANDLERS;
  }

  /** Starts a process with the API: `svc-api`, or `svc` with both roles. */
  async startApi(
    params: {
      readonly entry?: 'svc' | 'svc-api';
      readonly port?: number;
      readonly root?: string | undefined;
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const { entry = 'svc-api', port = await freePort(), root } = params;
    const api: Runtime = await startRuntime({
      entry,
      port,
      databaseUrl: this.#databaseUrl,
      apiKey: this.apiKey,
      env: { ...this.#env, ...params.env },
      root,
    });
    this.#started.push(api);
    return api;
  }

  /** `port`: for its metrics and probes. */
  async startScheduler(
    params: { readonly root?: string | undefined; readonly port?: number } = {},
  ): Promise<Started> {
    const { root, port = await freePort() } = params;
    const scheduler = await startProgram({
      entry: 'svc-scheduler',
      args: ['--database-url', this.#databaseUrl],
      env: { SVC_TELEMETRY_METRICS_PORT: String(port), ...this.#env },
      root,
    });
    this.#started.push(scheduler);
    await waitUntilReady(scheduler, async () => {
      const { status } = await sendRequest(`http://127.0.0.1:${port}`, { path: '/ready' });
      if (status !== 200) throw new Error(`GET /ready answered ${status}`);
    });
    return scheduler;
  }

  async startWorker(url: string): Promise<Started> {
    const worker = await startProgram({
      entry: { path: WORKER },
      args: [this.#handlers],
      env: { SVC_URL: url, SVC_TOKEN: this.apiKey, WORKER_CONCURRENCY: '4' },
    });
    this.#started.push(worker);
    return worker;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.map((process) => process.end('SIGKILL')));
  }
}
