import type { RequestListener } from 'node:http';

import { ConfigError } from '../shared/config/config-error.ts';
import type { Config } from '../shared/config/config.ts';
import { IN_MEMORY, locateDatabase, type DatabaseLocation } from '../shared/config/database-url.ts';
import { isConfigKey, type ConfigKey } from '../shared/config/keys.ts';
import type { ProcessRole } from '../shared/config/listeners.ts';
import { loadConfig, type ConfigOrigins } from '../shared/config/load.ts';
import { suggestKey } from '../shared/config/suggest-key.ts';
import type { RunnableKind } from '../shared/nodes/runnable-kind.ts';
import type { Store } from '../shared/store/store.ts';
import type { Logger } from '../shared/telemetry/log.ts';
import type { Boot } from './boot-options.ts';
import { boot } from './boot.ts';
import { checkStartup } from './check-startup.ts';
import { createLog } from './telemetry/create-log.ts';
import { createFetchInProcess, type FetchInProcess } from './fetch-in-process.ts';
import { createProcessId } from './process-id.ts';

export interface RuntimeOptions {
  /**
   * `postgres://…`, the path of an SQLite file, or `:memory:` for a database that is gone when the
   * runtime stops.
   */
  readonly database: string;
  /** `all` by default. The API or the scheduler alone needs PostgreSQL. */
  readonly role?: ProcessRole;
  /**
   * Values of configuration keys as docs/reference/configuration.md lists them, such as
   * `{ 'auth.api_key': … }`. Neither `svc.toml` nor the environment is read for the others.
   */
  readonly settings?: Readonly<Partial<Record<ConfigKey, string | number | boolean>>>;
  /**
   * Where the API listens; port 0 takes a free one. Without it, pass `handler` to your own server.
   */
  readonly listen?: { readonly host?: string; readonly port: number };
  /** Kinds of nodes beside those of the service. */
  readonly kinds?: readonly RunnableKind<unknown>[];
  readonly ports?: {
    /** Default: JSON lines on stdout, as `logging.*` says. */
    readonly log?: Logger;
    /** Where keys of model providers and secrets of tools are looked up by name; default: nowhere. */
    readonly env?: Readonly<Record<string, string | undefined>>;
  };
  /** How long to wait for a PostgreSQL server that is starting, in milliseconds; 0 by default. */
  readonly databaseWaitMs?: number;
  /** Breaks the start off. */
  readonly signal?: AbortSignal;
}

export interface Runtime extends AsyncDisposable {
  /** Where the API listens, such as `http://127.0.0.1:8233`; null without `listen`. */
  readonly url: string | null;
  /** The HTTP API, for `http.createServer`; null for the role `scheduler`. */
  readonly handler: RequestListener | null;
  /**
   * Sends a request to the API without a socket, as the global `fetch` would: programs in this process
   * need no listener. Only the path of the URL counts. Null for the role `scheduler`.
   */
  readonly fetch: FetchInProcess | null;
  /**
   * Takes on nothing more, and resolves when what was under way is finished or given back. After
   * `deadlineMs` (10 000 by default) the rest is cut off: other runtimes take it up.
   */
  stop(params?: { readonly deadlineMs?: number }): Promise<void>;
}

const STOP_MS_MAX = 10_000;

/**
 * Opens a runtime in this process: the engine, the scheduler's loops and the API, on SQLite or
 * PostgreSQL. The schema is migrated first, unless `database.auto_migrate` is false.
 *
 * Throws a ConfigError for settings that cannot be used, and a StartError where the database or the
 * address cannot be had.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  return openRuntimeOn(isInMemory(options) ? { store: await openInMemory() } : {}, options);
}

/** On a store that is open already, which closes with the runtime, and on timers of the caller's. */
export async function openRuntimeOn(
  parts: Pick<Boot, 'store' | 'timers' | 'failsMisfits'>,
  options: RuntimeOptions,
): Promise<Runtime> {
  const { role = 'all', listen, kinds = [], ports = {}, signal } = options;
  const { config, origins, database } = readOptions(options);
  checkStartup({ config, database, role });
  const processId = createProcessId();
  const runtime = await boot({
    config,
    origins,
    database,
    ...parts,
    role,
    processId,
    log: ports.log ?? createLog({ config, role, processId }),
    databaseWaitMs: options.databaseWaitMs ?? 0,
    signal: signal ?? new AbortController().signal,
    env: ports.env ?? {},
    listens: listen !== undefined,
    kinds,
  });
  const stop = ({ deadlineMs = STOP_MS_MAX }: { readonly deadlineMs?: number } = {}) =>
    runtime.stop({ leaveMs: 0, deadlineMs });
  if (signal?.aborted === true) {
    await stop();
    signal.throwIfAborted();
  }
  return {
    url: runtime.url,
    handler: runtime.handler,
    fetch: runtime.handler && createFetchInProcess(runtime.handler),
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

function readOptions(options: RuntimeOptions): {
  readonly config: Config;
  readonly origins: ConfigOrigins;
  readonly database: DatabaseLocation;
} {
  const { settings = {}, listen } = options;
  refuseUnknownKeys(settings);
  const cwd = process.cwd();
  const given: Partial<Record<ConfigKey, string>> = {
    'telemetry.metrics_port': 'off',
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)])),
    ...(listen?.host !== undefined && { 'runtime.bind': listen.host }),
    ...(listen !== undefined && { 'runtime.port': String(listen.port) }),
  };
  const loaded = loadConfig({ flags: given, env: {}, configFile: null, cwd, mode: 'serve' });
  if (!loaded.ok) throw new ConfigError(loaded.problems);
  const { config, origins } = loaded;
  if (isInMemory(options))
    return { config, origins, database: { dialect: 'sqlite', path: IN_MEMORY } };
  const parsed = locateDatabase({ ...config.database, url: options.database }, { cwd });
  if (!parsed.ok) throw new ConfigError([parsed.problem]);
  return { config, origins, database: parsed.location };
}

/** TypeScript refuses them already; JavaScript does not. */
function refuseUnknownKeys(settings: object): void {
  const unknown = Object.keys(settings).filter((key) => !isConfigKey(key));
  if (unknown.length === 0) return;
  throw new ConfigError(unknown.map((key) => `settings: unknown key ${key}${suggestKey(key)}`));
}

/** A program on PostgreSQL never loads SQLite. */
async function openInMemory(): Promise<Store> {
  const { openInMemoryStore } = await import('../shared/store/sqlite/open-in-memory.ts');
  return openInMemoryStore();
}

function isInMemory({ database }: RuntimeOptions): boolean {
  return database === IN_MEMORY;
}
