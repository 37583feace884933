import { setTimeout as delay } from 'node:timers/promises';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import type { Ask, Deed, History } from '../../invariants/history.ts';
import { sendRequest, type HttpRequest, type Reply } from '../../support/http.ts';
import type { ClaimAnswer, WorkItem } from '../../support/wire.ts';

/*
 * Clients of a service that is upgraded, restarted or restored under them: callers start executions
 * with a key, and workers claim and complete items. All requests and answers are recorded for the
 * checker. A client repeats a request without an answer, or with an answer that asks for it.
 */

export interface RecordedLoad {
  readonly history: History;
  /** Answers that no client should get, and requests without an answer. */
  readonly failures: readonly string[];
  /** Answers with status 503 and `Retry-After`, which ask the client to repeat the request. */
  readonly refusals: number;
  /** Round trips of answered requests other than claims, in milliseconds. */
  readonly latenciesMs: readonly number[];
  /** Ids of executions whose start was acknowledged. */
  readonly started: ReadonlySet<string>;
  /** The number of completed items. */
  readonly completed: number;
  /** Ends the starts; workers continue until `stop`. */
  endStarts(): Promise<void>;
  stop(): Promise<void>;
}

export interface LoadParams {
  /** The target of the next request. */
  readonly pick: () => string;
  readonly apiKey: string;
  readonly workflowId: string;
  /** Separates the executions of this load from those of others. */
  readonly name: string;
  readonly callers: number;
  readonly workers: number;
  /** The pause of a caller between two starts. */
  readonly restMs: number;
  /** More members of each input. */
  readonly input?: JsonObject;
  /** The service ends now and then: a request without an answer is repeated, and no failure. */
  readonly mayGoUnanswered?: boolean;
}

const ANSWER_MS_MAX = 10_000;
const CLAIM_WAIT_MS = 500;
const RETRY_MS = 100;
const ITEMS_MAX = 8;

/** One order of all beginnings and ends, across consecutive loads. */
let place = 0;

export function startRecordedLoad(params: LoadParams): RecordedLoad {
  const { pick, apiKey, workflowId, name, callers, workers, restMs, input = {} } = params;
  const { mayGoUnanswered = false } = params;
  const deeds: Deed[] = [];
  const failures: string[] = [];
  const latenciesMs: number[] = [];
  const started = new Set<string>();
  const [starts, all] = [new AbortController(), new AbortController()];
  let [refusals, completed, number] = [0, 0, 0];

  async function ask<Body>(
    client: string,
    asks: Ask,
    http: HttpRequest,
  ): Promise<Reply<Body> | null> {
    const deed: { -readonly [Field in keyof Deed]: Deed[Field] } = {
      client,
      tenantId: 'default',
      asks,
      begun: (place += 1),
      ended: null,
      answer: null,
    };
    deeds.push(deed);
    const url = pick();
    const beganAt = performance.now();
    try {
      const signal = AbortSignal.timeout(ANSWER_MS_MAX);
      const reply = await sendRequest<Body>(url, { token: apiKey, signal, ...http });
      deed.ended = place += 1;
      deed.answer = { status: reply.status, body: reply.body ?? {} };
      if (asks.do !== 'claim') latenciesMs.push(performance.now() - beganAt);
      if (reply.status === 503 && reply.headers.has('Retry-After')) refusals += 1;
      else if (reply.status >= 500) failures.push(told(asks, reply.status, reply.body));
      return reply;
    } catch (error) {
      if (mayGoUnanswered) return null;
      const { cause = error } = error as { readonly cause?: unknown };
      const afterMs = Math.round(performance.now() - beganAt);
      failures.push(
        told(asks, url, `${String(cause)} after ${afterMs} ms at ${new Date().toISOString()}`),
      );
      return null;
    }
  }

  /** Repeats the request until a repetition would not change the answer. */
  async function insist<Body>(client: string, asks: Ask, http: HttpRequest) {
    for (;;) {
      const reply = await ask<Body>(client, asks, http);
      if (reply !== null && reply.status < 500) return reply;
      if (all.signal.aborted) return null;
      await delay(RETRY_MS);
    }
  }

  async function call(client: string): Promise<void> {
    while (!starts.signal.aborted) {
      const key = `${name}-${(number += 1)}`;
      const reply = await insist<{ execution_id: string }>(
        client,
        { do: 'start', key, workflowId, token: key },
        {
          path: '/executions',
          body: { workflow_id: workflowId, input: { token: key, ...input } },
          headers: { 'Idempotency-Key': key },
        },
      );
      if (reply?.status === 201) started.add(reply.body.execution_id);
      else if (reply !== null) failures.push(`${key}: ${reply.status}`);
      await delay(restMs);
    }
  }

  async function work(client: string): Promise<void> {
    while (!all.signal.aborted) {
      const reply = await claimItems(client);
      if (reply?.status !== 200) await delay(RETRY_MS);
      await Promise.all((reply?.body?.work_items ?? []).map((item) => complete(client, item)));
    }
  }

  function claimItems(client: string): Promise<Reply<ClaimAnswer> | null> {
    return ask<ClaimAnswer>(
      client,
      { do: 'claim', workerId: client, queues: ['python_tool'] },
      {
        path: '/work-items/claim',
        body: {
          worker_id: client,
          queue_types: ['python_tool'],
          wait_ms: CLAIM_WAIT_MS,
          max_items: ITEMS_MAX,
        },
      },
    );
  }

  async function complete(client: string, item: WorkItem): Promise<void> {
    const output: JsonObject = { token: `fence ${item.lease_fence}` };
    const { id: workItemId, lease_fence: fence, idempotency_key: key } = item;
    const reply = await insist<JsonObject>(
      client,
      { do: 'complete', workItemId, fence, key, output },
      {
        path: `/work-items/${workItemId}/complete`,
        body: { output, state_patch: {}, lease_fence: fence, idempotency_key: key },
      },
    );
    if (reply?.status === 200) completed += 1;
  }

  const calling = Array.from({ length: callers }, (_, n) => call(`${name}-caller-${n}`));
  const working = Array.from({ length: workers }, (_, n) => work(`${name}-worker-${n}`));
  const endStarts = async (): Promise<void> => {
    starts.abort();
    await Promise.all(calling);
  };
  return {
    history: { deeds },
    failures,
    latenciesMs,
    started,
    endStarts,
    get refusals() {
      return refusals;
    },
    get completed() {
      return completed;
    },
    stop: async () => {
      all.abort();
      await endStarts();
      await Promise.all(working);
    },
  };
}

function told(asks: Ask, where: number | string, what: unknown): string {
  return `${asks.do} at ${where}: ${typeof what === 'string' ? what : JSON.stringify(what)}`;
}
