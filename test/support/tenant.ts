import type { JsonObject, JsonValue } from '../../src/shared/domain/json.ts';
import { eventually } from './eventually.ts';
import type { HttpRequest, Reply } from './http.ts';
import { toldBy } from './told.ts';
import type {
  Acceptance,
  ClaimAnswer,
  Execution,
  ExecutionEvent,
  ItemAnswer,
  WorkItem,
} from './wire.ts';

type Send = <Body>(request: HttpRequest) => Promise<Reply<Body>>;

/** Creates a tenant with this id, as operators do; it may exist already. */
export async function makeTenant(params: {
  readonly request: Send;
  readonly tenantId: string;
}): Promise<TestTenant> {
  const { request, tenantId } = params;
  const body = { id: tenantId, name: tenantId };
  const reply = await request({ method: 'POST', path: '/tenants', body });
  if (reply.status !== 409) expectStatus(reply, 201);
  return new TestTenant(params);
}

/** How long a claim waits for work. */
const CLAIM_WAIT_MS = 15_000;

/**
 * A tenant as its clients and workers see it: everything uses HTTP. The plain verbs expect success
 * and throw otherwise; `get` and `post` return any answer.
 */
export class TestTenant {
  readonly tenantId: string;
  readonly #send: Send;

  constructor(params: { readonly request: Send; readonly tenantId: string }) {
    this.tenantId = params.tenantId;
    this.#send = params.request;
  }

  send<Body>(request: HttpRequest): Promise<Reply<Body>> {
    return this.#send<Body>({ tenantId: this.tenantId, ...request });
  }

  get<Body = { readonly error: string }>(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply<Body>> {
    return this.send<Body>({ path, headers });
  }

  post<Body = { readonly error: string }>(
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply<Body>> {
    return this.send<Body>({
      method: 'POST',
      path,
      headers,
      ...(body !== undefined && { body }),
    });
  }

  /** Returns the id of the registered workflow. */
  async register(ir: JsonObject): Promise<string> {
    const reply = await this.post<{ workflow_id: string }>('/workflows', {
      ir: { workflow_id: 'w', ...ir },
    });
    return expectStatus(reply, 201).workflow_id;
  }

  async start(workflowId: string, input: JsonObject = {}, more: JsonObject = {}): Promise<string> {
    const body = { workflow_id: workflowId, input, ...more };
    const reply = await this.post<{ execution_id: string }>('/executions', body);
    return expectStatus(reply, 201).execution_id;
  }

  /** Registers a workflow and starts an execution of it. */
  async run(ir: JsonObject, input: JsonObject = {}): Promise<string> {
    return this.start(await this.register(ir), input);
  }

  async read(executionId: string): Promise<Execution> {
    return expectStatus(await this.get<Execution>(`/executions/${executionId}`), 200);
  }

  async events(executionId: string): Promise<readonly ExecutionEvent[]> {
    const path = `/executions/${executionId}/events`;
    const reply = await this.get<{ events: readonly ExecutionEvent[] }>(path);
    return expectStatus(reply, 200).events;
  }

  /** The events as `Kind node`. */
  async story(executionId: string): Promise<readonly string[]> {
    return toldBy(await this.events(executionId));
  }

  /** Waits until the execution has this status. */
  until(executionId: string, status: Execution['status']): Promise<Execution> {
    return eventually(async () => {
      const execution = await this.read(executionId);
      if (execution.status === status) return execution;
      const story = (await this.story(executionId)).join(', ');
      throw new Error(`${executionId} is ${execution.status}, not ${status}: ${story}`);
    });
  }

  /** Waits until the execution has not begun because of that. */
  untilWaitsFor(executionId: string, kind: string): Promise<void> {
    return eventually(async () => {
      const { body } = await this.get<{ waiting_for: { kind: string } | null }>(
        `/executions/${executionId}`,
      );
      const is = body.waiting_for?.kind ?? 'nothing';
      if (is !== kind) throw new Error(`${executionId} waits for ${is}, not ${kind}`);
    });
  }

  /** Waits until an event of this kind is recorded, and of this node if given. */
  untilEvent(executionId: string, kind: string, nodeId?: string): Promise<ExecutionEvent> {
    return eventually(async () => {
      const events = await this.events(executionId);
      const found = events.find(
        (event) => event.kind === kind && (nodeId === undefined || event.node_id === nodeId),
      );
      if (found !== undefined) return found;
      throw new Error(`no ${kind} ${nodeId ?? ''} in ${toldBy(events).join(', ')}`);
    });
  }

  /** Claims the next work item, and waits for it if necessary. */
  async claim(body: JsonObject = {}): Promise<WorkItem> {
    const answer = await this.tryClaim({ wait_ms: CLAIM_WAIT_MS, ...body });
    if (answer.work_item === undefined) throw new Error('there was nothing to claim');
    return answer.work_item;
  }

  async tryClaim(body: JsonObject = {}): Promise<ClaimAnswer> {
    const reply = await this.post<ClaimAnswer>('/work-items/claim', {
      worker_id: 'worker-1',
      queue_types: ['python_tool', 'java_tool'],
      ...body,
    });
    return expectStatus(reply, 200);
  }

  /** Settles with a result, as a worker does; `more` adds to the body or changes it. */
  complete(
    item: WorkItem,
    output: JsonObject = {},
    more: JsonObject = {},
  ): Promise<Reply<ItemAnswer>> {
    return this.post<ItemAnswer>(`/work-items/${item.id}/complete`, {
      ...coordinates(item),
      idempotency_key: item.idempotency_key,
      output,
      state_patch: {},
      duration_ms: 5,
      ...more,
    });
  }

  fail(item: WorkItem, more: JsonObject = {}): Promise<Reply<ItemAnswer>> {
    return this.post<ItemAnswer>(`/work-items/${item.id}/fail`, {
      error: 'it broke',
      lease_fence: item.lease_fence,
      ...more,
    });
  }

  /** Claims the next item, which must be of this node, and completes it. */
  async work(nodeId: string, output: JsonObject = {}, more: JsonObject = {}): Promise<WorkItem> {
    const item = await this.claimOf(nodeId);
    expectStatus(await this.complete(item, output, more), 200);
    return item;
  }

  /** Claims the next item, which must be of this node, and fails it. */
  async breakDown(nodeId: string, more: JsonObject = {}): Promise<ItemAnswer> {
    const item = await this.claimOf(nodeId);
    return expectStatus(await this.fail(item, more), 200);
  }

  async approve(executionId: string, body: JsonObject): Promise<Acceptance> {
    const reply = await this.post<Acceptance>(`/executions/${executionId}/approve`, body);
    return expectStatus(reply, 200);
  }

  async deliver(executionId: string, key: string, payload: JsonValue = {}): Promise<Acceptance> {
    const body = { correlation_key: key, payload };
    const reply = await this.post<Acceptance>(`/executions/${executionId}/external-event`, body);
    return expectStatus(reply, 200);
  }

  /** A new token of the tenant with this role. */
  async makeToken(role: string): Promise<string> {
    const made = await this.post<{ readonly token: string }>('/tokens', { name: role, role });
    return expectStatus(made, 201).token;
  }

  cancel(executionId: string): Promise<Reply<{ execution_id: string; status: string }>> {
    return this.post(`/executions/${executionId}/cancel`);
  }

  async claimOf(nodeId: string): Promise<WorkItem> {
    const item = await this.claim();
    if (item.node_id !== nodeId) throw new Error(`claimed ${item.node_id}, not ${nodeId}`);
    return item;
  }
}

export function expectStatus<Body>(reply: Reply<Body>, status: number): Body {
  if (reply.status === status) return reply.body;
  throw new Error(`answered ${reply.status}, not ${status}: ${JSON.stringify(reply.body)}`);
}

function coordinates(item: WorkItem): JsonObject {
  const { execution_id, node_id, lease_fence } = item;
  return { execution_id, node_id, lease_fence };
}
