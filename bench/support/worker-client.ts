import { openLeanHttp } from './lean-http.ts';
import { API_KEY } from './runtime-process.ts';

/** The worker protocol over HTTP, with one connection per loop. */
export interface WorkerClient {
  /** Null: no item came within `waitMs`. */
  claim(workerId: string, waitMs: number): Promise<ClaimedItem | null>;
  heartbeat(workerId: string, item: ClaimedItem): Promise<void>;
  complete(item: ClaimedItem): Promise<void>;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface ClaimedItem {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly lease_fence: number;
  readonly idempotency_key: string;
}

export function openWorkerClient(url: string, connections: number): WorkerClient {
  const http = openLeanHttp(url, connections);
  const head = `authorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\n`;

  async function call(method: 'GET' | 'POST', path: string, given?: unknown): Promise<unknown> {
    const sent = given === undefined ? '' : JSON.stringify(given);
    const { status, body } = await http.request({ method, path, head, body: sent });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${body}`);
    return JSON.parse(body);
  }

  return {
    call,
    async claim(workerId, waitMs) {
      const answer = (await call('POST', '/work-items/claim', {
        worker_id: workerId,
        queue_types: ['python_tool'],
        wait_ms: waitMs,
      })) as { readonly work_item?: ClaimedItem };
      return answer.work_item ?? null;
    },
    async heartbeat(workerId, item) {
      await call('POST', `/work-items/${item.id}/heartbeat`, {
        worker_id: workerId,
        lease_fence: item.lease_fence,
      });
    },
    async complete(item) {
      await call('POST', `/work-items/${item.id}/complete`, {
        execution_id: item.execution_id,
        node_id: item.node_id,
        output: {},
        state_patch: {},
        lease_fence: item.lease_fence,
        idempotency_key: item.idempotency_key,
      });
    },
    close: async () => http.close(),
  };
}
