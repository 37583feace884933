import { hostname } from 'node:os';

import { readVariable } from '../client/environment.ts';
import type { ServedFunction } from '../functions/define-function.ts';
import { send } from '../http/lean-fetch.ts';
import { refuseUnknown, type Known } from '../known-options.ts';
import type { WorkerTool } from './define-tool.ts';
import type { Logger } from './logger.ts';
import { createDefaultLogger } from './text-logger.ts';
import { pause } from './pause.ts';
import type { Api } from './send.ts';

export interface WorkerOptions {
  /** The address of the runtime. Default: `SVC_URL`, else `http://127.0.0.1:7700`. */
  readonly url?: string;
  /** A token with the role `worker`, or a function that is asked before each request. Default: `SVC_TOKEN`. */
  readonly token?: string | (() => string | Promise<string>);
  /** Another tenant than the token's; only for operators of the tenant `default`. */
  readonly tenantId?: string;
  /** Names this process in leases and events. Default: host, process and a random part. */
  readonly workerId?: string;
  readonly functions?: readonly ServedFunction[];
  readonly tools?: readonly WorkerTool[];
  /** Named queues to claim from; `default` is the queue of nodes that name none, and the default. */
  readonly queues?: readonly string[];
  /**
   * The build of this worker's code: 1 to 64 letters, digits, ".", "+", "_" and "-". Functions with
   * `pinned` stay with the build that began them.
   */
  readonly buildId?: string;
  /** Items at the same time, 1 to 1000. Default: 10. */
  readonly concurrency?: number;
  /** Default: one line of JSON for each message, on stderr; on a terminal, a line of text. */
  readonly logger?: Logger;
  /** Once aborted, the worker stops as `stop()` does. */
  readonly signal?: AbortSignal;
  /** Default: true. False: the workflows of the functions are registered by somebody else. */
  readonly register?: boolean;
  /** Default: one over `node:http`, which takes less processor time than the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The time of functions, and the pauses of their steps between attempts. Default: the system's. */
  readonly clock?: WorkerClock;
}

export interface WorkerClock {
  /** Milliseconds since 1970, for `ctx.now()`. */
  nowMs(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The options with their defaults, checked. */
export interface Settings {
  readonly api: Api;
  readonly workerId: string;
  readonly functions: ReadonlyMap<string, ServedFunction>;
  readonly tools: ReadonlyMap<string, WorkerTool>;
  readonly queues: readonly string[] | null;
  readonly buildId: string | null;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly register: boolean;
  readonly clock: WorkerClock;
}

/** A claim names at most that many. */
const NAMES_MAX = 100;

const KNOWN: Known<WorkerOptions> = {
  url: true,
  token: true,
  tenantId: true,
  workerId: true,
  functions: true,
  tools: true,
  queues: true,
  buildId: true,
  concurrency: true,
  logger: true,
  signal: true,
  register: true,
  fetch: true,
  clock: true,
};

/** @throws TypeError, RangeError for options that no worker can run with */
export function readOptions(options: WorkerOptions): Settings {
  refuseUnknown(options, KNOWN, 'a worker');
  const { functions = [], tools = [], concurrency = 10 } = options;
  const url = options.url ?? readVariable('SVC_URL') ?? 'http://127.0.0.1:7700';
  const token = options.token ?? readVariable('SVC_TOKEN');
  if (!/^https?:\/\//.test(url)) {
    throw new TypeError(`url must begin with http:// or https://: ${url}`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 1000) {
    throw new RangeError(`concurrency must be a whole number from 1 to 1000: ${concurrency}`);
  }
  const served = functions.length + tools.length;
  if (served === 0) throw new TypeError('a worker serves at least one function or tool');
  if (served > NAMES_MAX) {
    throw new RangeError(`a worker serves at most ${NAMES_MAX} functions and tools: ${served}`);
  }
  return {
    api: {
      url: url.replace(/\/+$/, ''),
      token: typeof token === 'function' ? token : () => token ?? null,
      tenant: options.tenantId ?? null,
      hasToken: token !== undefined,
      fetch: options.fetch ?? send,
    },
    workerId: options.workerId ?? `${hostname()}-${process.pid}-${randomPart()}`,
    functions: byName(functions),
    tools: byName(tools),
    queues: options.queues ?? null,
    buildId: readBuildId(options),
    concurrency,
    logger: options.logger ?? createDefaultLogger(),
    register: options.register ?? true,
    clock: options.clock ?? { nowMs: () => Date.now(), pause },
  };
}

/** The names of builds that the runtime accepts. */
const BUILD_ID = /^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$/;

function readBuildId({ buildId, functions = [] }: WorkerOptions): string | null {
  const pinned = functions.find(({ options }) => options.pinned === true);
  if (buildId === undefined) {
    if (pinned === undefined) return null;
    throw new TypeError(`the function ${pinned.name} is pinned, so its worker needs a buildId`);
  }
  if (BUILD_ID.test(buildId)) return buildId;
  throw new TypeError(
    `buildId must be 1 to 64 letters, digits, ".", "+", "_" and "-": ${JSON.stringify(buildId)}`,
  );
}

function byName<Named extends { readonly name: string }>(
  all: readonly Named[],
): ReadonlyMap<string, Named> {
  const map = new Map<string, Named>();
  for (const one of all) {
    if (map.has(one.name)) throw new TypeError(`two definitions have the name ${one.name}`);
    map.set(one.name, one);
  }
  return map;
}

function randomPart(): string {
  return Math.random().toString(36).slice(2, 8);
}
