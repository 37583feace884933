/*
 * A worker in one file, without dependencies, for Node 22.18 or newer. SVC_URL and SVC_TOKEN say
 * where the runtime is. SIGTERM lets it finish its current item. `examples/workers/node/` is the
 * same with more to it: several items at once, artifacts, a log.
 */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

type JsonObject = Record<string, unknown>;
/** Returns the output of the node; what it throws fails the attempt. */
type Handler = (input: JsonObject, idempotencyKey: string) => JsonObject | Promise<JsonObject>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  'numbers.square': ({ value }) => {
    if (typeof value !== 'number') throw new TypeError('value must be a number');
    return { square: value ** 2 };
  },
};

interface WorkItem {
  readonly id: string;
  readonly payload: { readonly module: string; readonly function: string; input: JsonObject };
  readonly lease_fence: number;
  /** Engines older than the two have none. */
  readonly idempotency_key?: string;
  readonly heartbeat_interval_ms?: number;
}

interface Answer {
  /** 0: there was no answer, or one that says to come again, so nothing is known. */
  readonly status: number;
  readonly body: JsonObject;
  readonly retryAfterMs: number;
}

const { SVC_URL: url = 'http://127.0.0.1:7700', SVC_TOKEN: token } = process.env;
const workerId = `${hostname()}-${process.pid}`;
const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stopping.abort());

async function post(path: string, body: JsonObject, signal?: AbortSignal): Promise<Answer> {
  let retryAfterMs = 0;
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(30_000), ...(signal ? [signal] : [])]),
    });
    const { status } = response;
    retryAfterMs = Number(response.headers.get('retry-after')) * 1000 || 0;
    if (status === 408 || status === 429 || status >= 500) throw new Error(`status ${status}`);
    return { status, body: (await response.json()) as JsonObject, retryAfterMs };
  } catch {
    return { status: 0, body: {}, retryAfterMs };
  }
}

/** Sends the same again while nothing is known; once the lease is lost there is no need to. */
async function postUntilAnswered(path: string, body: JsonObject, lost: AbortSignal) {
  for (let failures = 0; !lost.aborted; failures += 1) {
    const answer = await post(path, body);
    if (answer.status !== 0) return answer;
    await rest(failures, answer);
  }
  return null;
}

async function rest(failures: number, { retryAfterMs }: Answer): Promise<void> {
  const ms = Math.min(5_000, 250 * 2 ** failures) * (0.5 + Math.random() / 2);
  await delay(Math.max(ms, retryAfterMs));
}

async function workOn(item: WorkItem): Promise<void> {
  const { id, payload, lease_fence, idempotency_key } = item;
  const lost = new AbortController();
  const renew = async () => {
    const answer = await post(`/work-items/${id}/heartbeat`, { worker_id: workerId, lease_fence });
    if (answer.status === 0 || answer.status === 200) return;
    clearInterval(heartbeats);
    lost.abort();
  };
  const heartbeats = setInterval(() => void renew(), item.heartbeat_interval_ms ?? 10_000);
  const fail = (error: string) =>
    postUntilAnswered(`/work-items/${id}/fail`, { error, lease_fence }, lost.signal);
  try {
    const tool = `${payload.module}.${payload.function}`;
    const handler = HANDLERS[tool];
    if (handler === undefined) {
      // A runtime that knows no `tools` hands out the items of others too.
      await postUntilAnswered(`/work-items/${id}/release`, { lease_fence }, lost.signal);
      return;
    }
    const output = await handler(payload.input, idempotency_key ?? id);
    const body = { output, state_patch: {}, lease_fence, idempotency_key };
    const answer = await postUntilAnswered(`/work-items/${id}/complete`, body, lost.signal);
    if (answer?.status === 400 || answer?.status === 413) await fail(String(answer.body['error']));
  } catch (error) {
    await fail(String(error));
  } finally {
    clearInterval(heartbeats);
  }
}

for (let failures = 0; !stopping.signal.aborted;) {
  const body = {
    worker_id: workerId,
    queue_types: ['python_tool'],
    tools: Object.keys(HANDLERS),
    wait_ms: 20_000,
  };
  const askedAt = performance.now();
  const answer = await post('/work-items/claim', body, stopping.signal);
  if (answer.status === 0) {
    if (!stopping.signal.aborted) await rest((failures += 1), answer);
  } else if (answer.status === 200) {
    failures = 0;
    if (answer.body['claimed'] === true) await workOn(answer.body['work_item'] as WorkItem);
    // A runtime that knows no `wait_ms` answers at once.
    else if (performance.now() - askedAt < 10_000) await rest(1, answer);
  } else {
    console.error(`the runtime refuses: ${answer.status} ${String(answer.body['error'])}`);
    process.exit(1);
  }
}
