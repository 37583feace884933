import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

import { createApi } from '../../../src/api/api.ts';
import type { ExtendMcp } from '../../../src/api/mcp/extend-mcp.ts';
import {
  DEFAULT_CALLER_RECHECK_MS,
  type ApiDeps,
  type ApiSettings,
  type RequestReport,
} from '../../../src/api/deps.ts';
import { startApiServer, type TlsFiles } from '../../../src/api/server.ts';
import { composeRuntime } from '../../../src/runtime/compose.ts';
import { ids } from '../../../src/runtime/ids.ts';
import type { Role } from '../../../src/shared/domain/access.ts';
import { DEFAULT_TENANT, type ExecutionId, type TenantId } from '../../../src/shared/domain/ids.ts';
import type { AgentsDeps } from '../../../src/shared/engine/agents/deps.ts';
import type { MemoryTier } from '../../../src/shared/domain/memory/tiers.ts';
import { checkOutgoingUrl } from '../../../src/shared/security/check-outgoing-url.ts';
import { makeSecretBox } from '../../support/secrets.ts';
import { createWakeBus } from '../../../src/shared/engine/wake/wake-bus.ts';
import type { Wake } from '../../../src/shared/ports/wake.ts';
import { createRunners } from '../../../src/shared/nodes/create-runners.ts';
import { subgraphKind } from '../../../src/shared/nodes/subgraph/kind.ts';
import { createCpu } from '../../../src/scheduler/pool/pool.ts';
import { createToken } from '../../../src/shared/engine/tokens/create-token.ts';
import { createSafeFetch } from '../../../src/shared/security/safe-fetch.ts';
import type { Dialect } from '../../support/database.ts';
import { freePort } from '../../support/servers/ports.ts';
import { openTestMemory } from '../../support/memory.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';
import { testSystemFacts } from './system-facts.ts';
import { callApi, type ApiAnswer, type ApiCall } from './call-api.ts';

export interface TestApi {
  readonly url: string;
  readonly port: number;
  readonly database: TestStore;
  /** The engine's notifications to this process and others. */
  readonly wake: Wake;
  readonly operatorToken: string;
  /** The reports that `onRequest` received, in order. */
  readonly reports: readonly RequestReport[];
  /** Resolves when a request of this route has been reported after the call. */
  nextReport(route: string): Promise<RequestReport>;
  /** Log lines at warn and error. */
  readonly troubles: readonly { readonly message: string; readonly fields: object }[];
  /** Sends a request, by default as the operator. */
  call(call: ApiCall): Promise<ApiAnswer>;
  /** Creates the tenant unless it exists. */
  makeTenant(tenant: string): Promise<void>;
  /** Also creates the token's tenant unless it exists. */
  mint(params: { readonly role: Role; readonly tenant?: string }): Promise<string>;
  /** Does the scheduler's part until the execution waits for the outside. */
  advance(executionId: string): Promise<void>;
  close(params?: { readonly deadlineMs: number }): Promise<void>;
}

export interface TestApiOptions {
  readonly auth?: Partial<ApiSettings['auth']>;
  readonly settings?: Partial<Omit<ApiSettings, 'auth'>>;
  readonly requestTimeoutMs?: number;
  readonly ping?: () => Promise<void>;
  readonly now?: () => number;
  /** The provider of embeddings, and the quotas of memory. */
  readonly memory?: {
    readonly embeddingBaseUrl?: string;
    readonly quotas?: Partial<Record<MemoryTier, number>>;
    readonly encryptionKey?: Uint8Array | null;
  };
  /** 64 MiB by default. */
  readonly artifactBytesMax?: number;
  /** Allows agents on loopback addresses; true by default. */
  readonly allowPrivate?: boolean;
  readonly heartbeatTimeoutMs?: number;
  readonly extendMcp?: ExtendMcp;
  readonly publicUrl?: string;
  readonly tls?: TlsFiles;
  /** SQLite by default. */
  readonly dialect?: Dialect;
}

/** The API with the real engine on a new store, listening on a loopback port. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = await openTestStore(options.dialect ?? 'sqlite');
  const { store } = database;
  const port = await freePort();
  const cpu = createCpu({
    threads: 1,
    cpuSecondsMaxOf: async (tenantId) =>
      (await engine.tenants.find(tenantId))?.limits.max_cpu_seconds_per_minute ?? null,
  });
  const wake = createWakeBus();
  const { engine, scheduling } = composeRuntime({
    store,
    wake,
    cpu,
    runners: (ports) => createRunners([subgraphKind], ports),
    settings: {
      leaseMs: 30_000,
      processId: 'test',
      version: '0.0.0',
      descendantsMax: 20_000,
      inputBytesMax: 4_194_304,
      host: 'localhost',
    },
    report: { count() {}, observe() {}, trouble() {} },
  });
  const memory = openTestMemory({ store: store.memory, ids, ...options.memory });
  const agents: AgentsDeps = {
    store: store.agents,
    ids,
    http: createSafeFetch({ allowPrivate: options.allowPrivate ?? true }),
    now: () => performance.now(),
    settings: { heartbeatTimeoutMs: options.heartbeatTimeoutMs ?? 90_000 },
  };
  const reports: RequestReport[] = [];
  const reported = new EventEmitter();
  const troubles: { message: string; fields: object }[] = [];
  const note = (fields: object, message: string) => void troubles.push({ message, fields });
  const deps: ApiDeps = {
    engine,
    memory,
    agents,
    storedTokens: store.tokens,
    system: testSystemFacts({ dialect: store.dialect }),
    webhooks: {
      store,
      ids,
      randomBytes,
      secrets: makeSecretBox(),
      checkUrl: (url) => checkOutgoingUrl(url, { allowPrivate: options.allowPrivate ?? true }),
    },
    ping: options.ping ?? (() => store.ping({ timeoutMs: 1_000 })),
    log: { info() {}, warn: note, error: note },
    ...(options.extendMcp && { extendMcp: options.extendMcp }),
    version: '1.2.3',
    publicUrl: () => options.publicUrl ?? `http://127.0.0.1:${port}`,
    settings: {
      auth: {
        enabled: true,
        apiKey: null,
        openReady: false,
        reviewersMayApprove: false,
        ...options.auth,
      },
      artifactBytesMax: options.artifactBytesMax ?? 64 * 1024 * 1024,
      bodyBytesMax: 64 * 1024,
      mcp: true,
      openDocs: false,
      console: null,
      streamHeartbeatMs: 15_000,
      callerRecheckMs: DEFAULT_CALLER_RECHECK_MS,
      streamsPerToken: 100,
      resultWaitsPerToken: 1_000,
      ...options.settings,
    },
    ids,
    now: options.now ?? (() => performance.now()),
    newRequestId: randomUUID,
    randomBytes,
    onRequest: (report) => {
      reports.push(report);
      reported.emit(report.route, report);
    },
  };
  const { requestTimeoutMs } = options;
  const server = await startApiServer({
    api: createApi(deps),
    host: '127.0.0.1',
    port,
    ...(options.tls !== undefined && { tls: options.tls }),
    ...(requestTimeoutMs === undefined
      ? {}
      : { requestTimeoutMs, headersTimeoutMs: requestTimeoutMs }),
  });
  const makeTenant: TestApi['makeTenant'] = async (tenant) => {
    const tenantId = tenant as TenantId;
    await store.tenants.create({ tenantId, name: tenant, actorId: 'token:test' });
  };
  const mint: TestApi['mint'] = async ({ role, tenant }) => {
    if (tenant !== undefined) await makeTenant(tenant);
    const minted = await createToken(
      engine,
      { tenantId: (tenant ?? DEFAULT_TENANT) as TenantId, actorId: 'token:test' },
      { name: `test ${role}`, role, expiresInMs: null },
    );
    return minted.plaintext;
  };
  const operatorToken = await mint({ role: 'operator' });
  return {
    url: server.url,
    port: server.port,
    database,
    wake,
    operatorToken,
    reports,
    troubles,
    nextReport: async (route) => ((await once(reported, route)) as [RequestReport])[0],
    makeTenant,
    mint,
    call: (call) => callApi(server.url, { token: operatorToken, ...call }),
    advance: (executionId) => scheduling.advance(executionId as ExecutionId),
    close: async (params = { deadlineMs: 2_000 }) => {
      await server.close(params);
      await scheduling.drain({ deadlineMs: 2_000 });
      await memory.close();
      await cpu.close();
      await database.close();
    },
  };
}
