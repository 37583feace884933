import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';

import { createApi, type Api } from '../api/api.ts';
import {
  DEFAULT_CALLER_RECHECK_MS,
  DEFAULT_STREAM_HEARTBEAT_MS,
  type ApiDeps,
  type ApiSettings,
  type AuthMethod,
} from '../api/deps.ts';
import { startApiServer, type ApiServer } from '../api/server.ts';
import type { Config } from '../shared/config/config.ts';
import { DEFAULT_TENANT } from '../shared/domain/ids.ts';
import { publicUrl } from '../shared/config/listeners.ts';
import type { AgentsDeps } from '../shared/engine/agents/deps.ts';
import type { MemoryDeps } from '../shared/engine/memory/deps.ts';
import { listTokens } from '../shared/engine/tokens/list-tokens.ts';
import type { SystemFacts } from '../shared/engine/system/system-facts.ts';
import type { UseCaseDeps } from '../shared/engine/use-case-deps.ts';
import type { SecretBox } from '../shared/ports/secret-box.ts';
import { checkOutgoingUrl } from '../shared/security/check-outgoing-url.ts';
import type { Store } from '../shared/store/store.ts';
import type { Logger } from '../shared/telemetry/log.ts';
import type { Metrics } from '../shared/telemetry/metrics.ts';
import { CONSOLE_FOLDER } from './console-folder.ts';
import { ids } from './ids.ts';
import { readAuthMethod, readTlsFiles } from './read-access-files.ts';
import { logRequests } from './telemetry/log-what-happens.ts';
import { StartError } from './start-error.ts';
import { readVersion } from './version.ts';

/** A ping slower than this is as good as none: probes give up at about that time. */
export const PING_MS_MAX = 2_000;

/** The API of a process: behind a listener of its own, or as a handler for the caller's server. */
export interface ProcessApi {
  readonly handler: RequestListener;
  /** Null: the caller listens. */
  readonly server: ApiServer | null;
  leave(): void;
  close(params: { readonly deadlineMs: number }): Promise<void>;
}

export interface BootApi {
  readonly config: Config;
  readonly engine: UseCaseDeps;
  readonly memory: MemoryDeps;
  readonly agents: AgentsDeps;
  readonly secrets: SecretBox;
  readonly system: SystemFacts;
  readonly store: Store;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly traceparentOf?: ApiDeps['traceparentOf'];
  readonly listens: boolean;
  readonly showCommand: (text: string) => string;
}

/** The API role: the HTTP API over the engine. */
export async function bootApi(params: BootApi): Promise<ProcessApi> {
  const { config, log, listens } = params;
  // Port 0 is a real one only once the server listens.
  let server: ApiServer | null = null;
  const method = await readAuthMethod(config);
  const tls = readTlsFiles(config);
  const api = createApi(
    apiDeps(params, { method, publicUrl: () => publicUrl(config, server?.port) }),
  );
  const needsTokens = config.auth.enabled && method === undefined;
  if (needsTokens && config.auth.apiKey === null) await hintAtTokens(params, log);
  if (!listens) return withoutListener(api);
  const { bind: host, port } = config.runtime;
  const options = { api, host, port, ...(tls !== undefined && { tls }) };
  const listening = await listen(() => startApiServer(options));
  server = listening;
  return {
    handler: api.handle,
    server: listening,
    leave: () => listening.leave(),
    close: (limits) => listening.close(limits),
  };
}

/** The caller's server closes its connections itself; what waits in them is let go here. */
function withoutListener(api: Api): ProcessApi {
  return {
    handler: api.handle,
    server: null,
    leave: () => api.leave(),
    async close() {
      api.drain();
      await api.close();
    },
  };
}

function apiDeps(
  params: BootApi,
  own: { readonly method: AuthMethod | undefined; readonly publicUrl: () => string },
): ApiDeps {
  const { config, engine, agents, memory, store, log, metrics } = params;
  return {
    engine,
    agents,
    memory,
    storedTokens: store.tokens,
    system: params.system,
    webhooks: {
      store,
      ids,
      randomBytes,
      secrets: params.secrets,
      checkUrl: (url) =>
        checkOutgoingUrl(url, {
          allowPrivate: config.webhooks.allowPrivateNetworks,
          setting: 'webhooks.allow_private_networks',
        }),
    },
    ping: () => store.ping({ timeoutMs: PING_MS_MAX }),
    log,
    version: readVersion(),
    publicUrl: own.publicUrl,
    settings: apiSettings(config, own.method),
    ids,
    now: () => performance.now(),
    newRequestId: () => ids.uuid(),
    randomBytes,
    onRequest: logRequests(log, (request) => metrics.onRequest(request)),
    ...(params.traceparentOf && { traceparentOf: params.traceparentOf }),
  };
}

function apiSettings(config: Config, method: AuthMethod | undefined): ApiSettings {
  return {
    auth: {
      enabled: config.auth.enabled,
      apiKey: config.auth.apiKey,
      ...(method !== undefined && { method }),
      openReady: config.auth.openReady,
      reviewersMayApprove: config.auth.reviewersMayApprove,
    },
    artifactBytesMax: config.artifacts.maxBytes,
    bodyBytesMax: config.api.bodyBytesMax,
    mcp: config.api.mcp,
    openDocs: config.api.openDocs,
    console: config.api.console ? { folder: CONSOLE_FOLDER } : null,
    streamHeartbeatMs: DEFAULT_STREAM_HEARTBEAT_MS,
    callerRecheckMs: DEFAULT_CALLER_RECHECK_MS,
    streamsPerToken: config.api.streamsPerToken,
    resultWaitsPerToken: config.api.resultWaitsPerToken,
  };
}

/** An address that cannot be had is no bug: its message is for the person who started this. */
export async function listen<Server>(start: () => Promise<Server>): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const isSystemError = error instanceof Error && hasSyscall(error.cause ?? error);
    throw isSystemError ? new StartError(error.message, { cause: error }) : error;
  }
}

async function hintAtTokens(
  { store, showCommand }: Pick<BootApi, 'store' | 'showCommand'>,
  log: Logger,
): Promise<void> {
  const page = { limit: 1, offset: 0 };
  const known = await listTokens({ store }, { tenantId: DEFAULT_TENANT }, page);
  if (known.length > 0) return;
  log.warn(
    'no token exists yet, so every request will be refused: ' +
      showCommand('create one with "svc token create --role operator --name <name>"'),
  );
}

function hasSyscall(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
