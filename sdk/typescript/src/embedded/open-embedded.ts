import { createClient, type SvcClient } from '../client/index.ts';
import { createWorker, type Worker, type WorkerOptions } from '../worker/index.ts';
import {
  IN_PROCESS_URL,
  loadRuntime,
  type RuntimeModule,
  type RuntimeOptions,
} from './load-runtime.ts';

export interface EmbeddedOptions extends RuntimeOptions {
  /** The API key of the runtime, where it listens for others too. Default: open to this process. */
  readonly token?: string;
}

/** A runtime in this process, and what programs need of it. */
export interface Embedded extends AsyncDisposable {
  readonly client: SvcClient;
  /**
   * Options with which `createWorker` reaches this runtime: replace them with `{ url, token }` to run
   * the same worker against a cluster.
   */
  readonly connection: Required<Pick<WorkerOptions, 'url' | 'token' | 'fetch'>>;
  /** Where the runtime listens; null without `listen`. */
  readonly url: string | null;
  /**
   * Starts a worker in this process, and resolves when its functions can be started; `stop` ends it with
   * the runtime.
   */
  worker(options: Omit<WorkerOptions, 'url' | 'token' | 'fetch'>): Promise<Worker>;
  /** Stops the workers, then the runtime: unfinished work continues when the database is opened again. */
  stop(options?: { readonly deadlineMs?: number }): Promise<void>;
}

const STOP_MS_MAX = 10_000;

/**
 * Opens svc in this process, on an SQLite file or PostgreSQL: no server, no port, no HTTP. It needs the
 * package `svc-runtime`.
 *
 * @throws Error when svc-runtime is not installed, or cannot open the database
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { token, settings, ...others } = options;
  const module = await loadRuntime<RuntimeModule>('svc-runtime');
  const auth = token === undefined ? { 'auth.enabled': false } : { 'auth.api_key': token };
  const runtime = await module.openRuntime({
    ...others,
    settings: { 'logging.level': 'warn', ...auth, ...settings },
  });
  if (runtime.fetch === null) throw new Error('the runtime has no API');
  // Without a token of its own, client and worker would take one from the environment.
  const access = { url: IN_PROCESS_URL, token: token ?? 'in-process' };
  const connection = { ...access, fetch: runtime.fetch };
  const workers = new Set<Worker>();
  const stop = async ({ deadlineMs = STOP_MS_MAX } = {}): Promise<void> => {
    await Promise.all([...workers].map((worker) => worker.stop({ deadlineMs })));
    await runtime.stop({ deadlineMs });
  };
  return {
    client: createClient({ ...access, environment: { fetch: runtime.fetch } }),
    connection,
    url: runtime.url,
    async worker(given) {
      const worker = createWorker({ ...given, ...connection });
      workers.add(worker);
      worker.run().catch(() => undefined);
      await worker.ready;
      return worker;
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}
