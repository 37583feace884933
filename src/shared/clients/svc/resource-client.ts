import type { JsonObject } from '../../domain/json.ts';
import { readJson, sendRequest, type ApiRequest, type ApiTarget } from './request.ts';

export interface WireWho {
  readonly tenant_id: string;
  readonly role: string;
  readonly name: string;
  readonly authenticated: boolean;
}

export interface WireAgent extends JsonObject {
  readonly id: string;
  readonly uri: string | null;
  readonly name: string;
  readonly version: string;
  readonly status: string;
}

export interface WireTenant extends JsonObject {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export interface WireArtifact {
  /** `sha256:` and 64 hex digits. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  readonly content_type: string;
}

/** Client of the agents, tenants and artifacts of a runtime. Throws ApiError and ApiUnreachableError. */
export interface ResourceClient {
  whoAmI(): Promise<WireWho>;
  listAgents(query: Query): Promise<{
    readonly agents: readonly WireAgent[];
    readonly next_cursor?: string | null;
  }>;
  readAgent(agentId: string): Promise<WireAgent>;
  registerAgent(card: JsonObject): Promise<{ readonly agent_id: string }>;
  discoverAgent(url: string): Promise<WireAgent>;
  setAgentActive(
    agentId: string,
    isActive: boolean,
  ): Promise<{ readonly agent_id: string; readonly status: string }>;
  listTenants(query: Query): Promise<{
    readonly tenants: readonly WireTenant[];
    readonly next_cursor?: string | null;
  }>;
  readTenant(tenantId: string): Promise<WireTenant>;
  createTenant(body: JsonObject): Promise<{ readonly tenant_id: string }>;
  updateTenant(tenantId: string, changes: JsonObject): Promise<WireTenant>;
  putArtifact(content: Uint8Array<ArrayBuffer>, contentType: string): Promise<WireArtifact>;
  /** A response whose body has not been read. */
  openArtifact(hash: string): Promise<Response>;
}

type Query = Readonly<Record<string, string | number | null>>;

const ANSWER_MS_MAX = 60_000;

export function createResourceClient(target: ApiTarget): ResourceClient {
  /** `member` is one that every such answer holds. */
  async function call<Body>(member: string & keyof Body, request: ApiRequest): Promise<Body> {
    const signal = AbortSignal.timeout(target.answerMsMax ?? ANSWER_MS_MAX);
    return readJson<Body>(target, await sendRequest(target, { ...request, signal }), member);
  }

  return {
    whoAmI: () => call('role', { method: 'GET', path: '/whoami' }),
    listAgents: (query) => call('agents', { method: 'GET', path: '/agents', query }),
    readAgent: (id) => call('id', { method: 'GET', path: agentPath(id) }),
    registerAgent: (body) => call('agent_id', { method: 'POST', path: '/agents', body }),
    discoverAgent: (url) => call('id', { method: 'POST', path: '/agents/discover', body: { url } }),
    setAgentActive: (id, isActive) =>
      call('agent_id', {
        method: 'POST',
        path: `${agentPath(id)}/${isActive ? 'activate' : 'deactivate'}`,
      }),
    listTenants: (query) => call('tenants', { method: 'GET', path: '/tenants', query }),
    readTenant: (id) => call('id', { method: 'GET', path: tenantPath(id) }),
    createTenant: (body) => call('tenant_id', { method: 'POST', path: '/tenants', body }),
    updateTenant: (id, body) => call('id', { method: 'PUT', path: tenantPath(id), body }),
    putArtifact: (content, contentType) =>
      call('hash', {
        method: 'POST',
        path: '/artifacts',
        content,
        headers: { 'content-type': contentType },
      }),
    openArtifact: (hash) =>
      sendRequest(target, { method: 'GET', path: `/artifacts/${encodeURIComponent(hash)}` }),
  };
}

function agentPath(id: string): string {
  return `/agents/${encodeURIComponent(id)}`;
}

function tenantPath(id: string): string {
  return `/tenants/${encodeURIComponent(id)}`;
}
