/** The exports of svc-runtime that the SDK uses, declared here so that the SDK needs no types of it. */
export interface RuntimeModule {
  openRuntime(options: RuntimeOptions): Promise<RuntimeInProcess>;
}

export interface RuntimeOptions {
  /** `postgres://…`, the path of an SQLite file, or `:memory:`. */
  readonly database: string;
  /** Configuration keys of the runtime, as `{ 'scheduler.lease_seconds': 10 }`. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Also listen, for other processes and the command line. */
  readonly listen?: { readonly host?: string; readonly port: number };
}

export interface RuntimeInProcess {
  readonly url: string | null;
  readonly fetch: typeof fetch | null;
  stop(params?: { readonly deadlineMs?: number }): Promise<void>;
}

/** The exports of `svc-runtime/testing` that the SDK uses. */
export interface TestingModule {
  openTestRuntime(options: {
    readonly startAt?: Date;
    readonly settings?: RuntimeOptions['settings'];
  }): Promise<RuntimeOnVirtualTime>;
}

export interface RuntimeOnVirtualTime extends RuntimeInProcess {
  readonly fetch: typeof fetch;
  now(): Date;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

/** The runtime is a package of its own: a worker that calls a service elsewhere does not need it. */
export async function loadRuntime<Module>(
  name: 'svc-runtime' | 'svc-runtime/testing',
): Promise<Module> {
  const specifier: string = name;
  try {
    return (await import(specifier)) as Module;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('svc-runtime is not installed. Run: npm install svc-runtime', { cause: error });
  }
}

/** Requests to a runtime in this process need an address by form only. */
export const IN_PROCESS_URL = 'http://runtime.local';
