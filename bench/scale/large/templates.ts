import { API_KEY } from '../../support/runtime-process.ts';
import { pollUntil } from '../../support/poll-until.ts';

/** One execution of each status, made by the product: what the others are copied from. */
export type Templates = Readonly<Record<TemplateStatus, string>>;

export type TemplateStatus = 'completed' | 'failed' | 'cancelled' | 'running' | 'paused';

export type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<CallAnswer>;

export interface CallAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

/** Calls the API at `url` with the key of all benchmarks, for the tenant `default` or another. */
export function callsTo(url: string, tenantId?: string): Call {
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    ...(tenantId !== undefined && { 'x-tenant-id': tenantId }),
  };
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, headers, ...sent });
    const text = await answer.text();
    const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: answer.status, body: json, bytes: text.length };
  };
}

export async function makeTemplates(call: Call): Promise<Templates> {
  await register(call, 'passes', { type: 'pass' });
  await register(call, 'breaks', { type: 'pass', output: { out: { expr: '1 / state.none' } } });
  await register(call, 'works', { type: 'python_fn', module: 'bench', function: 'work' });
  await register(call, 'asks', { type: 'human_approval' });
  const cancelled = await start(call, 'works');
  expectOk(await call('POST', `/executions/${cancelled}/cancel`));
  const templates = {
    completed: await start(call, 'passes'),
    failed: await start(call, 'breaks'),
    cancelled,
    running: await start(call, 'works'),
    paused: await start(call, 'asks'),
  };
  for (const [status, id] of Object.entries(templates)) {
    await pollUntil(
      async () => (await call('GET', `/executions/${id}`)).body['status'] === status,
      {
        what: `an execution is ${status}`,
        everyMs: 50,
        withinMs: 10_000,
      },
    );
  }
  return templates;
}

export async function register(call: Call, workflowId: string, kind: object): Promise<void> {
  const ir = { workflow_id: workflowId, nodes: { a: { kind } } };
  expectOk(await call('POST', '/workflows', { ir }));
}

export async function start(call: Call, workflowId: string, input: object = {}): Promise<string> {
  const { body } = expectOk(await call('POST', '/executions', { workflow_id: workflowId, input }));
  return String(body['execution_id']);
}

export function expectOk(answer: CallAnswer): CallAnswer {
  if (answer.status < 300) return answer;
  throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}
