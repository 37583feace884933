import { eventually } from '../support/eventually.ts';
import type { Runtime } from '../support/runtime.ts';

export interface RecordedEvent {
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Reads what the runtime has on record. */
export function readRecord(runtime: () => Runtime) {
  const read = async <Body>(path: string, tenantId?: string): Promise<Body> => {
    const options = tenantId === undefined ? { path } : { path, tenantId };
    const { status, body } = await runtime().request<Body>(options);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const events = async (id: string, tenantId?: string) =>
    (await read<{ events: readonly RecordedEvent[] }>(`/executions/${id}/events`, tenantId)).events;
  return {
    read,
    events,
    /** The execution once it has this status. */
    until: (id: string, status: string, tenantId?: string) =>
      eventually(async () => {
        const execution = await read<Execution>(`/executions/${id}`, tenantId);
        if (execution.status !== status) throw new Error(`${id} is ${execution.status}`);
        return execution;
      }),
    /** The audit entries of an execution in their order. */
    async audit(id: string, tenantId?: string) {
      return (await events(id, tenantId))
        .filter(({ kind }) => kind === 'ExternalEventReceived')
        .map(({ payload }) => payload['payload'] as Readonly<Record<string, unknown>>)
        .filter(({ advisor }) => advisor !== undefined);
    },
    list: async (query: string, tenantId?: string) =>
      (await read<{ executions: readonly Execution[] }>(`/executions?${query}`, tenantId))
        .executions,
  };
}

export type Recorded = ReturnType<typeof readRecord>;
