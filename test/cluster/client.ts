import { eventually } from '../support/eventually.ts';
import { sendRequest, type HttpRequest } from '../support/http.ts';
import { expectStatus } from '../support/tenant.ts';
import type { Execution, ExecutionEvent } from '../support/wire.ts';

const ANSWER_MS_MAX = 60_000;
const ONE_TRY_MS_MAX = 10_000;
const LIST_MAX = 500;

/**
 * A client of several APIs on one database: if one doesn't answer, the same request goes to the
 * next. A start has an Idempotency-Key, so repeating it starts one execution.
 */
export class ClusterClient {
  readonly #urls: readonly string[];
  readonly #apiKey: string;
  #next = 0;

  constructor(params: { readonly urls: readonly string[]; readonly apiKey: string }) {
    this.#urls = params.urls;
    this.#apiKey = params.apiKey;
  }

  async register(ir: object): Promise<void> {
    await this.#request({ path: '/workflows', body: { ir } }, 201);
  }

  async start(workflowId: string, key: string): Promise<string> {
    const request = {
      path: '/executions',
      body: { workflow_id: workflowId, input: { key } },
      headers: { 'Idempotency-Key': key },
    };
    return (await this.#request<{ execution_id: string }>(request, 201)).execution_id;
  }

  async read(id: string): Promise<Execution> {
    return this.#request<Execution>({ path: `/executions/${id}` }, 200);
  }

  async events(id: string): Promise<readonly ExecutionEvent[]> {
    const path = `/executions/${id}/events`;
    return (await this.#request<{ events: ExecutionEvent[] }>({ path }, 200)).events;
  }

  /** The ids of at most 500 executions, with this status or with any. */
  async list(status?: string): Promise<readonly string[]> {
    const path = `/executions?limit=${LIST_MAX}${status === undefined ? '' : `&status=${status}`}`;
    const { executions } = await this.#request<{ executions: Execution[] }>({ path }, 200);
    return executions.map((execution) => execution.execution_id);
  }

  #request<Body>(request: HttpRequest, status: number): Promise<Body> {
    return eventually(
      async () => {
        const url = this.#urls[this.#next++ % this.#urls.length] ?? '';
        const signal = AbortSignal.timeout(ONE_TRY_MS_MAX);
        const reply = await sendRequest<Body>(url, { token: this.#apiKey, signal, ...request });
        return expectStatus(reply, status);
      },
      { withinMs: ANSWER_MS_MAX },
    );
  }
}
